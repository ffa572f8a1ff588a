import { describe, expect, it } from 'vitest'
import type { Member } from '../../../src/domain/conversations/access.ts'
import { createTellLater } from '../../../src/domain/sending/tell-later.ts'
import type { TickStamps } from '../../../src/ports/soft-state.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import { aUser } from '../../kit/ids.ts'
import { nextTurn } from '../../kit/memory-domain.ts'
import { steppedClock } from '../../kit/stepped-clock.ts'

const stepMs = 100

const dies = async (): Promise<never> => {
  throw unavailable(new Error('Nobody answers.'))
}

/** Time passes in steps, so that whoever is woken can go to sleep again. */
function aClock() {
  const { clock, pass } = steppedClock()
  return {
    clock,
    async pass(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += stepMs) {
        pass(stepMs)
        await nextTurn()
      }
    },
  }
}

function aMember(): Member {
  const [userId, other] = [aUser(), aUser()]
  return {
    userId,
    conversation: { id: `${userId} ${other}`, kind: 'DIRECT', members: [userId, other] },
    joinedSeq: 0,
  } as never
}

describe('stamps of a write that may still be under way are replaced', () => {
  it('no sooner than 20 s after it failed, although another had failed before', async () => {
    const { clock, pass } = aClock()
    const told: { atMs: number; ids: readonly string[] }[] = []
    const tickStamps = { replace: async (ids: readonly string[]) => void told.push({ atMs: clock.now(), ids }) }
    const { orTellLater } = createTellLater({ tickStamps: tickStamps as unknown as TickStamps, clock })
    const [first, second] = [aMember(), aMember()]
    const beganAtMs = clock.now()
    await orTellLater(first, dies).catch(() => undefined)
    await pass(19_900)
    await orTellLater(second, dies).catch(() => undefined)
    await pass(60_000)
    const last = told.filter(({ ids }) => ids.includes(second.userId)).at(-1)
    expect((last?.atMs ?? 0) - beganAtMs).toBeGreaterThanOrEqual(39_900)
  })

  it('also if it failed just when others were told', async () => {
    // In so many steps, a failure comes at each point of what is done when others were told.
    for (let steps = 0; steps < 12; steps += 1) {
      const { clock, pass } = aClock()
      const told: string[] = []
      const [one, other] = [aMember(), aMember()]
      const failsToo = async () => {
        for (let i = 0; i < steps; i += 1) await undefined
        await orTellLater(other, dies).catch(() => undefined)
      }
      const replace = async (ids: readonly string[]) => {
        told.push(...ids)
        if (ids.includes(one.userId)) void failsToo()
      }
      const { orTellLater } = createTellLater({ tickStamps: { replace } as unknown as TickStamps, clock })
      await orTellLater(one, dies).catch(() => undefined)
      await pass(60_000)
      expect({ steps, isTold: told.includes(other.userId) }).toEqual({ steps, isTold: true })
    }
  })

  it('of all of them, although one part of Redis does not answer', async () => {
    const { clock, pass } = aClock()
    const members = Array.from({ length: 1200 }, aMember)
    const lost = members[700]?.userId as string
    const told = new Set<string>()
    let asked = 0
    const tickStamps = {
      async replace(ids: readonly string[]) {
        asked = Math.max(asked, ids.length)
        if (ids.includes(lost)) return dies()
        for (const id of ids) told.add(id)
      },
    }
    const { orTellLater } = createTellLater({ tickStamps: tickStamps as unknown as TickStamps, clock })
    for (const member of members) await orTellLater(member, dies).catch(() => undefined)
    await pass(60_000)
    expect(told.size).toBeGreaterThan(1000)
  })
})
