import { describe, expect, it } from 'vitest'
import type { Member } from '../../../src/domain/conversations/access.ts'
import { createTellLater } from '../../../src/domain/sending/tell-later.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { TickStamps } from '../../../src/ports/soft-state.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import { aUser } from '../../kit/ids.ts'
import { nextTurn } from '../../kit/memory-domain.ts'

const dies = async (): Promise<never> => {
  throw unavailable(new Error('Nobody answers.'))
}

/** The sleepers of this clock wake when the test says so. */
function aClock() {
  let nowMs = 0
  let sleepers: { atMs: number; wake: () => void }[] = []
  const clock: Clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: (ms) => new Promise((wake) => void sleepers.push({ atMs: nowMs + ms, wake })),
  }
  async function pass(ms: number): Promise<void> {
    const endMs = nowMs + ms
    for (;;) {
      const next = sleepers.filter(({ atMs }) => atMs <= endMs).sort((one, other) => one.atMs - other.atMs)[0]
      if (!next) break
      sleepers = sleepers.filter((each) => each !== next)
      nowMs = next.atMs
      next.wake()
      await nextTurn()
    }
    nowMs = endMs
    await nextTurn()
  }
  return { clock, pass }
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
    await orTellLater(first, dies).catch(() => undefined)
    await pass(19_900)
    await orTellLater(second, dies).catch(() => undefined)
    await pass(60_000)
    const last = told.filter(({ ids }) => ids.includes(second.userId)).at(-1)
    expect(last?.atMs).toBeGreaterThanOrEqual(39_900)
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
