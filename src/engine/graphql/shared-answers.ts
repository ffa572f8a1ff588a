// Many watch the same conversation with the same document. What one of them is answered is the answer of all, where no field of it is for
// one viewer alone: it is then worked out once.

import type { Answer } from './answer.ts'
import type { Compiled } from './compiled-operation.ts'
import type { Share } from './sharing.ts'

/** Resolves to undefined where it turns out to be for one viewer alone. */
type Shared = Answer | Promise<Answer | undefined>
type Kept = { compiled: Compiled; of: object; as: number; answer: Shared }

export type SharedAnswers = ReturnType<typeof createSharedAnswers>

/** All who watch are told in one go, so what is looked for is among the last ones kept: one for each document that is in use among them. */
const keptMax = 16

export function createSharedAnswers() {
  const kept: Kept[] = []
  let last = -1
  return {
    find(compiled: Compiled, { of, as }: Share): Shared | undefined {
      for (let back = 0; back < kept.length; back += 1) {
        const each = kept[(last - back + keptMax) % keptMax] as Kept
        if (each.of === of && each.as === as && each.compiled === compiled) return each.answer
      }
      return undefined
    },
    keep(compiled: Compiled, { of, as }: Share, answer: Shared): void {
      last = (last + 1) % keptMax
      kept[last] = { compiled, of, as, answer }
    },
  }
}
