import type { ExecutionResult } from 'graphql'
import type { Compiled } from './compiled-operation.ts'
import type { Run } from './compiled-values.ts'

/** The answer to an operation, or to an event of a subscription. */
export type Answer = {
  /** The whole result as JSON. */
  readonly json: string
  /** The result as an object, if it has errors. */
  readonly result?: ExecutionResult
  /** The last frame made of this answer, and its operation id: most clients use the same id. */
  frame?: { readonly id: string; readonly bytes: Buffer }
}

/** Answers to several events of one subscription, in their order. None of them has errors. */
export type JointAnswer = {
  readonly jsons: readonly string[]
  /** The last frames made of them, their operation id, and where each frame ends. */
  frames?: { readonly id: string; readonly bytes: Buffer; readonly ends: readonly number[] }
}

export const answerOf = (result: ExecutionResult): Answer =>
  result.errors ? { json: JSON.stringify(result), result } : { json: JSON.stringify(result) }

/** Writes the value by the compiled operation. If that fails, `otherwise` makes the answer. */
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
