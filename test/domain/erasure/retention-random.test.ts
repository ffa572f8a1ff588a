import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Domain } from '../../../src/domain/domain.ts'
import { createKeyValueMemory } from '../../../src/engine/key-value/key-value.memory.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { ClientMessageId, Seq, UserId } from '../../../src/protocol/ids.ts'
import { createStoresEmbedded } from '../../../src/store/embedded/stores.ts'
import { memoryDomain } from '../../kit/memory-domain.ts'
import { waitUntil } from '../../kit/wait-until.ts'

// Random conversations, in which messages go again and again: what every node shows, page by page and as a stream, against a list of what was said.

const [alice, bob] = ['alice', 'bob'] as [UserId, UserId]
const dayMs = 86_400_000

type Step = { does: 'say' | 'change' | 'rename' | 'lose' | 'wait' | 'forget'; n: number }
const weighted = ['say', 'say', 'say', 'say', 'change', 'change', 'rename', 'lose', 'wait', 'wait', 'forget'] as const
const steps = fc.array(fc.record({ does: fc.constantFrom<Step['does']>(...weighted), n: fc.nat(20) }), {
  minLength: 15,
  maxLength: 45,
})

/** Short waits pass at once; whoever waits for long is only woken by an abort. */
function quickClock(): Clock & { pass(ms: number): void } {
  let now = 1_800_000_000_000
  return {
    now: () => now,
    monotonic: () => now,
    pass: (ms) => {
      now += ms
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms <= 1000) now += ms
        if (ms <= 1000) return resolve()
        signal?.addEventListener('abort', () => resolve())
      }),
  }
}

async function play(all: readonly Step[], isGroup: boolean): Promise<void> {
  const clock = quickClock()
  const engine = createKeyValueMemory()
  const { ports } = memoryDomain(() => ({ ...createStoresEmbedded(engine), clock }), { randomId: randomUUID })
  const node = (): Domain => memoryDomain(() => ports, { randomId: randomUUID }).domain
  const [stale, worker] = [node(), node()]
  const clientMessageId = () => randomUUID() as ClientMessageId
  const draft = () => ({ clientMessageId: clientMessageId(), body: 'hi' })
  if (!isGroup) await stale.sendTo(alice, bob, draft())
  const founded = isGroup
    ? await stale.groups.create(alice, { clientGroupId: clientMessageId(), title: 'Us', memberIds: [bob] })
    : await stale.access.direct(alice, bob)
  const { id } = founded.conversation
  /** What was said, and what was changed of it. */
  const entries: { seq: Seq; atMs: number; isMessage: boolean }[] = []
  const note = (seq: Seq, isMessage: boolean) => entries.push({ seq, atMs: clock.now(), isMessage })
  if (!isGroup) note(1, true)
  let floor = 0
  const visible = () => entries.filter(({ seq, isMessage }) => isMessage && seq > floor).map(({ seq }) => seq)

  async function retain(days: number): Promise<void> {
    await worker.retention.set(id, days)
    await waitUntil(
      async () => {
        await worker.tasks.tick()
        return (await ports.timers.due(clock.now(), 1)).length === 0
      },
      { interval: 0 },
    )
    const isTooOld = ({ atMs }: { atMs: number }) => atMs <= clock.now() - days * dayMs
    const kept = entries.findIndex((each) => !isTooOld(each))
    floor = Math.max(floor, (kept < 0 ? entries : entries.slice(0, kept)).at(-1)?.seq ?? 0)
    for (const domain of [worker, stale, node()]) await check(domain)
  }

  async function check(domain: Domain): Promise<void> {
    const member = await domain.access.member(bob, id)
    const expected = visible()
    for (const from of ['newest', 'oldest'] as const) {
      const found: Seq[] = []
      for (let edge: Seq | undefined; ; ) {
        const bound = edge === undefined ? {} : from === 'newest' ? { olderThan: edge } : { newerThan: edge }
        const page = await domain.history.page(member, { count: 3, from, ...bound })
        const seqs = page.messages.map(({ seq }) => seq)
        found.push(...(from === 'newest' ? seqs : seqs.toReversed()))
        edge = found.at(-1)
        if (!(from === 'newest' ? page.moreOlder : page.moreNewer)) break
        expect(page.messages).toHaveLength(3)
      }
      expect(found).toEqual(from === 'newest' ? expected.toReversed() : expected)
    }
    const stream = await domain.follow({ userId: bob, after: [] })
    let previous = 0
    for (const seq of expected) {
      const { value } = await stream.next()
      expect([value.row.seq, value.previousSeq]).toEqual([seq, previous])
      previous = seq
    }
    await stream.return?.()
    const [tail] = await domain.chats.tails([member])
    expect(tail?.lastMessage?.seq).toBe(expected.at(-1))
    expect(tail?.lastSeq).toBeGreaterThanOrEqual(entries.at(-1)?.seq ?? 0)
    const [unread] = await domain.chats.unreadCounts([
      { member, readSeq: member.joinedSeq, lastSeq: tail?.lastSeq ?? 0 },
    ])
    expect(unread).toBe(expected.length)
  }

  for (const { does, n } of all) {
    const member = await stale.access.member(alice, id)
    if (does === 'say') note((await stale.send(member, draft())).message.seq, true)
    if (does === 'wait') clock.pass((n + 1) * dayMs)
    if (does === 'lose') await ports.sequencer.reserve(id, { senderId: alice, clientMessageId: clientMessageId() })
    if (does === 'rename' && isGroup) await stale.groups.rename(member, `Us ${randomUUID()}`)
    if (does === 'forget') await retain(n + 1)
    const target = visible()[n % Math.max(1, visible().length)]
    if (does === 'change' && target !== undefined) {
      const alteration =
        n % 2 ? { type: 'edit' as const, body: `hi ${n}` } : { type: 'reaction' as const, emoji: '👍', on: n % 4 === 0 }
      await stale.change(member, { seq: target, clientMessageId: clientMessageId(), alteration })
      note((await ports.sequencer.counters([id]))[0] ?? 0, false)
    }
  }
  await retain(1)
}

it.each(['direct chat', 'group'])('every node shows of a %s what is not too old, and nothing else', async (kind) => {
  await fc.assert(
    fc.asyncProperty(steps, (all) => play(all, kind === 'group')),
    { numRuns: 12 },
  )
})
