// Many watch the same conversation with the same document. What one of them is answered is the answer of all, where no field of it is for
// one viewer alone: it is then worked out once.

import type { Answer } from './answer.ts'
import type { Compiled } from './compiled-operation.ts'

/**
 * What two events have in common where their answers may be the same: `of` is the same object, `as` is equal. Not for `except`, to whom
 * fields may show more. A subscription says it in its extensions.
 */
export type Share = { of: object; as: number; except: string }
/** Undefined where nobody else gets this very event. */
export type ShareOf = (event: never) => Share | undefined

/** Resolves to undefined where it turns out to be for one viewer alone. */
type Shared = Answer | Promise<Answer | undefined>
type Kept = { compiled: Compiled; as: number; answer: Shared }

export type SharedAnswers = ReturnType<typeof createSharedAnswers>

export function createSharedAnswers() {
  /** Gone with what they are about. */
  const kept = new WeakMap<object, Kept[]>()
  return {
    find(compiled: Compiled, { of, as }: Share): Shared | undefined {
      const answers = kept.get(of)
      if (answers) for (const each of answers) if (each.as === as && each.compiled === compiled) return each.answer
      return undefined
    },
    keep(compiled: Compiled, { of, as }: Share, answer: Shared): void {
      const answers = kept.get(of)
      const mine = { compiled, as, answer }
      if (answers) answers.push(mine)
      else kept.set(of, [mine])
    },
  }
}
