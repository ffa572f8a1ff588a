import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tickOfMessage } from '../../../src/domain/sending/message-tick.ts'
import type { Group } from '../../../src/ports/conversations.ts'
import type { UserId } from '../../../src/protocol/ids.ts'
import { type MemberBoundaries, tickOf } from '../../../src/protocol/ticks.ts'
import { aConversation } from '../../kit/ids.ts'

const seq = fc.nat({ max: 6 })
const members = fc.array(fc.record({ joinedSeq: seq, lastDeliveredSeq: seq, lastReadSeq: seq }), { maxLength: 7 })
type Members = typeof members extends fc.Arbitrary<infer T> ? T : never

const userAt = (i: number) => `user-${i}` as UserId

function aGroupOf(all: Members): { group: Group; ticks: MemberBoundaries[] } {
  const id = aConversation()
  const members = all.map((_, i) => userAt(i))
  const group: Group = {
    id,
    kind: 'GROUP',
    title: 'Us',
    members,
    membersById: new Map(all.map(({ joinedSeq }, i) => [userAt(i), { role: 'MEMBER', joinedSeq }])),
    version: 6,
    pastVersions: [],
  }
  const ticks = all.map(({ joinedSeq, ...boundaries }, i) => ({ conversationId: id, userId: userAt(i), ...boundaries }))
  return { group, ticks }
}

test('a message is as far as the slowest of those who had joined before it, without its sender', () => {
  fc.assert(
    fc.property(members, (all) => {
      const { group, ticks } = aGroupOf(all)
      for (let at = 1; at <= 7; at += 1) {
        for (let i = 0; i <= all.length; i += 1) {
          const senderId = userAt(i)
          const receivers = ticks.filter(
            ({ userId }) => userId !== senderId && (group.membersById.get(userId)?.joinedSeq ?? 0) < at,
          )
          expect(tickOfMessage(group, ticks, { seq: at, senderId })).toBe(tickOf(at, receivers))
        }
      }
    }),
  )
})

test('who has joined is judged by the group as it is, also where the boundaries are those of a moment ago', () => {
  const { group, ticks } = aGroupOf([{ joinedSeq: 1, lastDeliveredSeq: 1, lastReadSeq: 1 }])
  const message = { seq: 3, senderId: userAt(1) }
  expect(tickOfMessage(group, ticks, message)).toBe('SENT')
  const later: Group = { ...group, membersById: new Map([[userAt(0), { role: 'MEMBER', joinedSeq: 4 }]]), version: 4 }
  expect(tickOfMessage(later, ticks, message)).toBe('READ')
})

test('the members of a list are gone through once, for however many messages', () => {
  const { group, ticks } = aGroupOf(
    Array.from({ length: 1024 }, () => ({ joinedSeq: 1, lastDeliveredSeq: 5, lastReadSeq: 5 })),
  )
  let looks = 0
  const counted = ticks.map((each) =>
    Object.defineProperty({ ...each }, 'lastReadSeq', {
      get: () => {
        looks += 1
        return each.lastReadSeq
      },
    }),
  )
  for (let i = 0; i < 1000; i += 1) expect(tickOfMessage(group, counted, { seq: 4, senderId: userAt(i) })).toBe('READ')
  expect(looks).toBe(1024)
})
