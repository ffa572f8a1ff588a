import type { ExecutionResult } from 'graphql'
import type { Compiled } from './compiled-operation.ts'
import type { Run } from './compiled-values.ts'

/** What an operation, or an event of a subscription, came to. */
export type Answer = {
  /** The whole result as JSON. */
  readonly json: string
  /** The same as an object, where it is more than data: it has errors. */
  readonly result?: ExecutionResult
  /** As the last one who sent it needed it; most who are sent the same need the same. */
  frame?: { readonly id: string; readonly bytes: Buffer }
}

export const answerOf = (result: ExecutionResult): Answer =>
  result.errors ? { json: JSON.stringify(result), result } : { json: JSON.stringify(result) }

/** What the compiled operation makes of the value; where it cannot, somebody else does. */
export function writeOr(
  compiled: Compiled,
  value: unknown,
  run: Run,
  otherwise: () => Promise<Answer>,
): Answer | Promise<Answer> {
  try {
    const text = compiled.write(value, run)
    return typeof text === 'string' ? dataOf(text) : text.then(dataOf, otherwise)
  } catch {
    return otherwise()
  }
}

const dataOf = (text: string): Answer => ({ json: `{"data":${text}}` })
