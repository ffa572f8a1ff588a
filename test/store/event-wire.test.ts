import { expect, test } from 'vitest'
import { decodeEvent, encodeEvent } from '../../src/store/redis/event-wire.ts'
import { aConversation } from '../kit/ids.ts'

test('a membership event is called seat on the wire, which nodes of other releases read', () => {
  const membership = { conversationId: aConversation(), seq: 7, joined: true }
  const wire = JSON.parse(encodeEvent({ type: 'membership', membership }))
  expect(wire).toEqual({ v: 1, type: 'seat', seat: membership })
  expect(decodeEvent(wire)).toEqual({ type: 'membership', membership })
})
