import { describe, expect, it } from 'vitest'
import type { ConversationId, DeviceId, Seq, UserId } from '../../../src/protocol/ids.ts'
import { keptDevicesMax, keptStartsMax } from '../../../src/protocol/limits.ts'
import { aClientMessageId, aConversation, aUser } from '../../kit/ids.ts'
import { memoryDomain, nextTurn } from '../../kit/memory-domain.ts'

const [phone, tablet] = ['phone', 'tablet'] as DeviceId[] as [DeviceId, DeviceId]

async function aChat(messages: number, changed?: Parameters<typeof memoryDomain>[0]) {
  const { domain, ports } = memoryDomain(changed)
  const [alice, bob] = [aUser(), aUser()]
  const say = async (count: number) => {
    for (let i = 0; i < count; i += 1)
      await domain.sendTo(alice, bob, { clientMessageId: aClientMessageId(), body: 'hi' })
  }
  await say(messages)
  const member = async (userId: UserId) => {
    const [found] = await domain.access.all(userId)
    return found ?? expect.fail('They have no chat.')
  }
  const { id } = (await member(bob)).conversation
  const react = async (targetSeq: Seq, emoji: string, on: boolean) =>
    domain.change(await member(bob), {
      seq: targetSeq,
      clientMessageId: aClientMessageId(),
      alteration: { type: 'reaction', emoji, on },
    })
  const ack = async (seq: Seq, deviceId?: DeviceId) => domain.ack(await member(bob), seq, deviceId)
  /** Opens a stream of bob's and returns the seqs of its first `count` events. */
  const seqsOf = async (deviceId: DeviceId, count: number): Promise<Seq[]> => {
    const stream = await domain.follow({ userId: bob, after: [], deviceId })
    const seqs: Seq[] = []
    for (let i = 0; i < count; i += 1) seqs.push((await stream.next()).value.row.seq)
    await stream.return?.()
    await nextTurn()
    return seqs
  }
  return { domain, ports, bob, id, say, react, ack, seqsOf }
}

describe('a device that is new to the server', () => {
  it('and has two streams at once begins both in the same place, whatever is acked in between', async () => {
    const { domain, bob, ack, id, ports } = await aChat(5)
    await ack(2)
    const changes = domain.followChanges({ userId: bob, after: [], deviceId: phone })
    await ack(4)
    const messages = domain.follow({ userId: bob, after: [], deviceId: phone })
    for (const stream of await Promise.all([changes, messages])) await stream.return?.()
    const { startSeqs } = (await ports.devicePositions.start({ userId: bob, deviceId: phone })) ?? expect.fail()
    await ack(5)
    expect([2, 4]).toContain(startSeqs.get(id))
    expect(await ports.devicePositions.start({ userId: bob, deviceId: phone })).toMatchObject({ startSeqs })
  })

  it('but has acked before its first stream begins where it has acked, although another was further by then', async () => {
    const { ack, seqsOf } = await aChat(5)
    await ack(2, phone)
    await ack(4, tablet)
    expect(await seqsOf(phone, 3)).toEqual([3, 4, 5])
    expect(await seqsOf(tablet, 1)).toEqual([5])
  })

  it('does not begin before its start is stored', async () => {
    let away = true
    const { ack, seqsOf } = await aChat(3, ({ devicePositions }) => ({
      devicePositions: {
        ...devicePositions,
        begin: async (start) => {
          if (away) throw new Error('away')
          return devicePositions.begin(start)
        },
      },
    }))
    await expect(seqsOf(phone, 1)).rejects.toThrow('away')
    away = false
    await ack(1)
    expect(await seqsOf(phone, 2)).toEqual([2, 3])
  })

  it('is one of too many: the one that was used longest ago is forgotten, with what it has acked', async () => {
    const { ports, bob, seqsOf, ack } = await aChat(1)
    for (let i = 0; i < keptDevicesMax; i += 1) {
      await seqsOf(`device-${i}` as DeviceId, 1)
      await ports.clock.sleep(1000)
    }
    await ack(1, 'device-0' as DeviceId)
    await ports.clock.sleep(25 * 3_600_000)
    await seqsOf('device-1' as DeviceId, 1)
    const stream = 'device-0' as DeviceId
    expect(await ports.devicePositions.acked({ userId: bob, deviceId: stream })).toHaveLength(1)
    const another = 'one-more' as DeviceId
    await seqsOf(another, 0)
    const kept = (await ports.devicePositions.ofUser(bob)).map(({ deviceId }) => deviceId)
    expect(kept).toHaveLength(keptDevicesMax)
    expect(kept).toEqual(expect.arrayContaining(['device-1', 'device-2', another]))
    expect(kept).not.toContain(stream)
    expect(await ports.devicePositions.acked({ userId: bob, deviceId: stream })).toEqual([])
  })

  it('does not push out one that is in use, however long ago its stream began', async () => {
    const { domain, ports, bob, ack, seqsOf } = await aChat(5)
    const stream = await domain.follow({ userId: bob, after: [], deviceId: phone })
    for (let i = 0; i < 3; i += 1) await stream.next()
    for (let i = 0; i < keptDevicesMax; i += 1) {
      await ports.clock.sleep(3_600_001)
      await ack(3, phone)
      await seqsOf(`tab-${i}` as DeviceId, 1)
    }
    await ack(5, 'tab-1' as DeviceId)
    await stream.return?.()
    await nextTurn()
    expect(await seqsOf(phone, 2)).toEqual([4, 5])
  })

  it('begins without fail, although another cannot be forgotten', async () => {
    const { seqsOf, ports } = await aChat(1, ({ devicePositions }) => ({
      devicePositions: { ...devicePositions, forget: () => Promise.reject(new Error('away')) },
    }))
    for (let i = 0; i < keptDevicesMax; i += 1) {
      await ports.clock.sleep(1000)
      await seqsOf(`device-${i}` as DeviceId, 1)
    }
    expect(await seqsOf(phone, 1)).toEqual([1])
  })

  it('begins no higher than it has acked, although that and the ack of another came while it began', async () => {
    let meanwhile: (() => Promise<unknown>) | undefined
    const { ack, seqsOf } = await aChat(5, ({ boundaries, devicePositions }) => ({
      boundaries,
      devicePositions: {
        ...devicePositions,
        async ofUser(userId) {
          const once = meanwhile
          meanwhile = undefined
          await once?.()
          return devicePositions.ofUser(userId)
        },
      },
    }))
    await ack(1)
    meanwhile = async () => {
      await ack(2, phone)
      await ack(5, tablet)
    }
    expect(await seqsOf(phone, 3)).toEqual([3, 4, 5])
  })

  it('by an ack has a start too, so that its rows are forgotten with it', async () => {
    const { ports, bob, ack } = await aChat(1)
    for (let i = 0; i <= keptDevicesMax; i += 1) {
      await ports.clock.sleep(1000)
      await ack(1, `device-${i}` as DeviceId)
    }
    expect(await ports.devicePositions.ofUser(bob)).toHaveLength(keptDevicesMax)
    expect(await ports.devicePositions.acked({ userId: bob, deviceId: 'device-0' as DeviceId })).toEqual([])
  })

  it('is refused beyond so many an hour, before anything is written', async () => {
    const { bob, ports, seqsOf } = await aChat(1, () => ({
      quotas: { take: async (quota) => ({ retryAfterMs: quota.startsWith('devices:') ? 500 : 0 }) },
    }))
    await expect(seqsOf(phone, 1)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    expect(await ports.devicePositions.ofUser(bob)).toEqual([])
  })

  it('keeps its start in as many conversations as fit into a row, those with most behind them', async () => {
    const { bob, ports, seqsOf } = await aChat(1)
    const ids: ConversationId[] = Array.from({ length: keptStartsMax + 1 }, aConversation)
    for (const [i, conversationId] of ids.entries())
      await ports.boundaries.deliver({ userId: bob, conversationId }, i + 1)
    await seqsOf(phone, 1)
    const { startSeqs } = (await ports.devicePositions.start({ userId: bob, deviceId: phone })) ?? expect.fail()
    expect(startSeqs.size).toBe(keptStartsMax)
    expect(startSeqs.has(ids[0] ?? expect.fail())).toBe(false)
  })
})

describe('the position of a device', () => {
  it('is written last: if an ack dies before that, the device gets the message again and repeats the ack', async () => {
    const steps: string[] = []
    const noting =
      <Args extends unknown[], Result>(step: string, call: (...args: Args) => Result) =>
      (...args: Args): Result => {
        steps.push(step)
        return call(...args)
      }
    const { ack } = await aChat(2, ({ boundaries, devicePositions, events }) => ({
      boundaries: { ...boundaries, deliver: noting('boundary', boundaries.deliver) },
      events: { ...events, publishBoundaries: noting('publish', events.publishBoundaries) },
      devicePositions: { ...devicePositions, raise: noting('device', devicePositions.raise) },
    }))
    steps.length = 0
    await ack(2, phone)
    expect(steps).toEqual(['boundary', 'publish', 'device'])
  })

  it('is not lowered by a late ack, and not moved by what `after` names', async () => {
    const { domain, bob, ack, seqsOf } = await aChat(4)
    expect(await seqsOf(phone, 1)).toEqual([1])
    await ack(3, phone)
    await ack(1, phone)
    const [member] = await domain.access.all(bob)
    const stream = await domain.follow({
      userId: bob,
      after: [{ member: member ?? expect.fail(), seq: 0 }],
      deviceId: phone,
    })
    expect((await stream.next()).value.row.seq).toBe(1)
    await stream.return?.()
    expect(await seqsOf(phone, 1)).toEqual([4])
  })

  it('goes past a long stretch of which its stream shows nothing, when the stream ends', async () => {
    const { domain, ports, bob, id, react, ack, say, seqsOf } = await aChat(1)
    expect(await seqsOf(phone, 1)).toEqual([1])
    await ack(1, phone)
    for (let i = 0; i < 50; i += 1) for (const on of [true, false]) await react(1, '👍', on)
    const stream = await domain.follow({ userId: bob, after: [], deviceId: phone })
    const next = stream.next()
    await nextTurn()
    await stream.return?.()
    await next
    const device = { userId: bob, deviceId: phone }
    expect(await ports.devicePositions.acked(device)).toEqual([{ conversationId: id, messages: 101 }])
    await say(1)
    expect(await seqsOf(phone, 1)).toEqual([102])
    expect(await ports.devicePositions.acked(device)).toEqual([{ conversationId: id, messages: 101 }])
  })

  it('that went past what its stream does not show counts for no delivery: no pending row is left', async () => {
    const { domain, ports, bob, react, ack, seqsOf } = await aChat(1)
    expect(await seqsOf(phone, 1)).toEqual([1])
    await ack(1, phone)
    for (let i = 0; i < 50; i += 1) for (const on of [true, false]) await react(1, '👍', on)
    // The first of the two streams goes past all of that, the second begins there.
    for (let stream = 1; stream <= 2; stream += 1) {
      const follow = await domain.follow({ userId: bob, after: [], deviceId: phone })
      const next = follow.next()
      await nextTurn()
      await follow.return?.()
      await next
    }
    const [acked] = await ports.devicePositions.acked({ userId: bob, deviceId: phone })
    expect(acked).toMatchObject({ messages: 101 })
    expect(await ports.pending.list(bob)).toEqual([])
  })
})
