import { expect, test } from 'vitest'
import { beginningWords } from '../src/conversation/timeline/beginning.ts'
import { byRole, canGiveRoles, canRemove, governs, type Membership, membersWords } from '../src/groups/roles.ts'

const people = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank'].map((id) => ({ id, name: null }))

test.each([
  [1, 'Only you · 1 member'],
  [2, 'Bob and you · 2 members'],
  [3, 'Bob, Carol and you · 3 members'],
  [5, 'Bob, Carol, Dave, 1 other and you · 5 members'],
  [6, 'Bob, Carol, Dave, 2 others and you · 6 members'],
])('of %i people: %s', (count, words) => {
  expect(membersWords(people.slice(0, count), 'alice')).toBe(words)
})

test('an owner may do everything, an admin what is done to members, a member nothing', () => {
  expect((['OWNER', 'ADMIN', 'MEMBER'] as const).map(governs)).toEqual([true, true, false])
  expect((['OWNER', 'ADMIN', 'MEMBER'] as const).map(canGiveRoles)).toEqual([true, false, false])
  expect((['OWNER', 'ADMIN', 'MEMBER'] as const).map((theirs) => canRemove('ADMIN', theirs))).toEqual([
    false,
    false,
    true,
  ])
  expect(canRemove('OWNER', 'ADMIN')).toBe(true)
  expect(canRemove(undefined, 'MEMBER')).toBe(false)
})

const member = (id: string, role: Membership['role'], joinedSeq = 1): Membership => ({
  user: { id, name: null },
  role,
  joinedSeq,
})

test('whoever may do most comes first', () => {
  const members = [member('carol', 'MEMBER'), member('bob', 'ADMIN'), member('alice', 'OWNER')]
  expect(byRole(members).map(({ user }) => user.id)).toEqual(['alice', 'bob', 'carol'])
})

test('whoever came later is told why nothing is older', () => {
  const conversation = {
    id: 'grp_1',
    kind: 'GROUP' as const,
    title: 'Tea',
    members: [],
    memberships: [member('alice', 'OWNER'), member('bob', 'MEMBER', 7)],
    mutedUntil: null,
    pinned: false,
    archived: false,
    lastSeq: 9,
    lastActivityAt: '2026-01-01T00:00:00.000Z',
    unreadCount: 0,
    lastMessage: null,
    ticks: [],
  }
  const subject = { title: 'Tea', pending: false, conversation }
  expect(beginningWords(subject, 'alice')).toBe('This is where “Tea” begins.')
  expect(beginningWords(subject, 'bob')).toBe('You were added here. What was said before is not shown.')
  expect(beginningWords({ title: 'Bob', pending: false }, 'alice')).toBe('This is where your chat with Bob begins.')
})
