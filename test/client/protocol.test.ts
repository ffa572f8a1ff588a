import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyProblem } from '../../packages/client/src/protocol/body-problem.ts'
import { errorCodes } from '../../packages/client/src/protocol/error-code.ts'
import * as limits from '../../packages/client/src/protocol/limits.ts'
import { tickOf } from '../../packages/client/src/protocol/tick.ts'
import { errorTable } from '../../src/protocol/errors.ts'
import * as serverLimits from '../../src/protocol/limits.ts'
import { bodyProblem as serverBodyProblem } from '../../src/protocol/text.ts'
import { tickOf as serverTickOf } from '../../src/protocol/ticks.ts'

// The client imports nothing of the server, so it has these few rules a second time. They must not drift apart.

/** Texts of what is refused and what is not: blanks, controls, halves of pairs, letters, and lengths around the limit. */
const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom(' ', '\n', '\0', '\u2800', '\u200d', '\ud83d', '\udc4d', '👍', 'a') }),
  fc.string({ unit: 'binary' }),
  fc
    .tuple(fc.constantFrom('a', '👍', ' ', '\ud83d'), fc.integer({ min: -1, max: 1 }))
    .map(([unit, more]) => unit.repeat(limits.bodyMaxCodePoints + more)),
)

const boundaries = fc.record({ lastDeliveredSeq: fc.nat(5), lastReadSeq: fc.nat(5) })

describe('the client and the server', () => {
  it('refuse the same texts, in the same words', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(bodyProblem(text)).toBe(serverBodyProblem(text))
      }),
    )
  })

  it('know the same error codes', () => {
    expect(errorCodes.toSorted()).toEqual(Object.keys(errorTable).sort())
  })

  it('compute the same ticks', () => {
    fc.assert(
      fc.property(fc.nat(6), fc.array(boundaries), (seq, others) => {
        expect(tickOf(seq, others)).toBe(serverTickOf(seq, others))
      }),
    )
  })

  it('have the same limits', () => {
    expect(serverLimits).toMatchObject({ ...limits })
  })
})
