import { describe, expect, test } from 'vitest'
import { GroupTicks } from '../../src/protocol/group-ticks.ts'
import type { UserId } from '../../src/protocol/ids.ts'
import { decodeEvent, encodeEvent } from '../../src/store/redis/event-wire.ts'
import { aConversation, aUser } from '../kit/ids.ts'

test('a membership event is called seat on the wire, which nodes of other releases read', () => {
  const membership = { conversationId: aConversation(), seq: 7, joined: true }
  const wire = JSON.parse(encodeEvent({ type: 'membership', membership }))
  expect(wire).toEqual({ v: 1, type: 'seat', seat: membership })
  expect(decodeEvent(wire)).toEqual({ type: 'membership', membership })
})

describe('rises of several members of a group', () => {
  const [id, bob, carol] = [aConversation(), aUser(), aUser()]
  const at = (userId: UserId, seq: number) => ({
    conversationId: id,
    userId,
    lastDeliveredSeq: seq,
    lastReadSeq: seq - 1,
  })
  const group = new GroupTicks(id, [
    { ticks: at(bob, 5), before: { lastDeliveredSeq: 4, lastReadSeq: 3 } },
    { ticks: at(carol, 7) },
  ])
  const wire = () => JSON.parse(encodeEvent({ type: 'groupTicks', group }))

  test('are an event of ticks with the others beside the first, so that nodes of other releases understand the first', () => {
    const rises = [
      [bob, 5, 4, 4, 3],
      [carol, 7, 6],
    ]
    expect(wire()).toEqual({ v: 1, type: 'ticks', ticks: at(bob, 5), rises })
    expect(decodeEvent(wire())).toEqual({ type: 'groupTicks', group })
  })

  test('and the boundaries of one member are understood as other releases tell them', () => {
    const { rises: _rises, ...plain } = wire()
    expect(decodeEvent(plain)).toEqual({ type: 'ticks', ticks: at(bob, 5) })
  })

  test.each([[{}], [[7]], [[[bob, 1]]], [[[bob, 1, 1, 1]]], [[[bob, 1, '1']]], [[[7, 1, 1]]]])(
    'are ignored where they are %j',
    (rises) => expect(decodeEvent({ ...wire(), rises })).toBeUndefined(),
  )
})
