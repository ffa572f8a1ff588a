import { networkError } from './client-error.ts'

/** Resolves or rejects as the work does, or rejects if it takes too long. A later outcome is ignored. */
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
