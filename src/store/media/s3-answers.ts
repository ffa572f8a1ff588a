import { unavailable } from '../../protocol/errors.ts'

/** Turns every failure into UNAVAILABLE. */
export async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw unavailable(error)
  }
}

/** An answer to HEAD has no body to say why: S3 answers 404, or 403 to a caller that may not list the bucket. */
export function unlessMissing(error: unknown): undefined {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } }
  if ($metadata?.httpStatusCode !== 404) throw error
}
