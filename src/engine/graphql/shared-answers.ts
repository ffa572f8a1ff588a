// Many clients watch the same conversation with the same document. If no field of the answer is personal, it is computed once and sent to all.

import type { Answer, JointAnswer } from './answer.ts'
import type { Compiled } from './compiled-operation.ts'
import type { SharedAnswerKey } from './sharing.ts'

/** Resolves to undefined if the answer turns out to be personal. */
type Shared = Answer | Promise<Answer | undefined>
type KeptJointly = { compiled: Compiled; events: readonly unknown[]; answer: JointAnswer | undefined }
type Kept = { compiled: Compiled; source: object; variant: number; answer: Shared }

export type SharedAnswers = ReturnType<typeof createSharedAnswers>

/** An event goes to all its viewers at once, so the answer is among the last ones kept: there is one for each document in use. */
const keptMax = 16
/** A list of events is large, and is forgotten soon. */
const keptJointlyMax = 4

export function createSharedAnswers() {
  const kept: Kept[] = []
  let last = -1
  const jointly: KeptJointly[] = []
  return {
    /** Returns the answers to these events, made by the first who asks. They are undefined if they cannot be shared. */
    jointly(
      compiled: Compiled,
      events: readonly unknown[],
      make: () => JointAnswer | undefined,
    ): JointAnswer | undefined {
      const known = jointly.find((each) => each.events === events && each.compiled === compiled)
      if (known) return known.answer
      const answer = make()
      if (jointly.length >= keptJointlyMax) jointly.shift()
      jointly.push({ compiled, events, answer })
      return answer
    },

    find(compiled: Compiled, { source, variant }: SharedAnswerKey): Shared | undefined {
      for (let back = 0; back < kept.length; back += 1) {
        const each = kept[(last - back + keptMax) % keptMax] as Kept
        if (each.source === source && each.variant === variant && each.compiled === compiled) return each.answer
      }
      return undefined
    },
    keep(compiled: Compiled, { source, variant }: SharedAnswerKey, answer: Shared): void {
      last = (last + 1) % keptMax
      kept[last] = { compiled, source, variant, answer }
    },
  }
}
