import type { OperationResult } from 'urql'
import { wordsOf } from '../session/admin-client.ts'

/** Returns what a mutation has answered, or throws what the server says is wrong. */
export async function answered<Data>(asked: Promise<OperationResult<Data>>): Promise<Data> {
  const { data, error } = await asked
  if (error) throw new Error(wordsOf(error))
  return data as Data
}
