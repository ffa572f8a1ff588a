import { networkError } from './client-error.ts'

/** Its outcome, or a failure if it takes too long. Whatever it comes to after that is nobody's concern. */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(networkError('No answer in time.')), ms)
    const settle = (outcome: () => void) => {
      clearTimeout(timer)
      outcome()
    }
    work.then(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    )
  })
}
