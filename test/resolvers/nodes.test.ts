import { expect, it } from 'vitest'
import type { ConversationId, UserId } from '../../src/protocol/ids.ts'
import { isUserId } from '../../src/protocol/ids.ts'
import { memberNodeId, parseMemberNodeId, ticksNodeId } from '../../src/protocol/member-node-ids.ts'
import { memoryApi } from '../kit/memory-api.ts'

const query = `query ($ids: [ID!]!) {
  nodes(ids: $ids) {
    __typename
    id
    ... on Message { body }
    ... on Ticks { userId lastDeliveredSeq lastReadSeq user { id } conversation { id } }
    ... on Member { role joinedSeq user { id } conversation { id } }
  }
}`

/** A group of Alice and Bob with two messages, of which Bob has one, and a direct chat of Carol and Dora. */
async function world() {
  const reads: string[] = []
  const noted =
    <Asked, Found>(name: string, getMany: (asked: readonly Asked[]) => Found) =>
    (asked: readonly Asked[]) => {
      reads.push(`${name} ${asked.length}`)
      return getMany(asked)
    }
  const api = memoryApi(({ messages, boundaries, memberships }) => ({
    messages: { ...messages, getMany: noted('messages', messages.getMany) },
    boundaries: {
      ...boundaries,
      getMany: noted('boundaries', boundaries.getMany),
    },
    memberships: {
      ...memberships,
      getMany: noted('memberships', memberships.getMany),
    },
  }))
  const group = await api.createGroup('alice', ['bob'])
  await api.send('alice', { conversationId: group }, 'one')
  await api.send('alice', { conversationId: group }, 'two')
  await api.ask('bob', 'mutation ($input: AckInput!) { ack(input: $input) { ticks { id } } }', {
    input: { conversationId: group, seq: 2 },
  })
  const { conversationId: theirs } = await api.send('carol', { userId: 'dora' }, 'secret')
  reads.length = 0
  const part = (userId: string, conversationId = group) => ({
    conversationId: conversationId as ConversationId,
    userId: userId as UserId,
  })
  return { api, group, theirs, reads, part }
}

it('finds several things by their ids, in their order, and null for what is not the viewer’s to see', async () => {
  const { api, group, theirs, part } = await world()
  const ids = [
    `msg_${group}_3`,
    `msg_${theirs}_1`,
    'bob',
    'carol',
    group,
    theirs,
    ticksNodeId(part('bob')),
    ticksNodeId(part('carol', theirs)),
    ticksNodeId(part('carol')),
    memberNodeId(part('alice')),
    memberNodeId(part('carol', theirs)),
    'tck_nothing~',
    `msg_${group}_2`,
    'bob',
  ]
  const { nodes } = await api.ask('alice', query, { ids })
  expect(nodes).toEqual([
    { __typename: 'Message', id: `msg_${group}_3`, body: 'two' },
    null,
    { __typename: 'User', id: 'bob' },
    null,
    { __typename: 'Conversation', id: group },
    null,
    {
      __typename: 'Ticks',
      id: ids[6],
      userId: 'bob',
      lastDeliveredSeq: 2,
      lastReadSeq: 0,
      user: { id: 'bob' },
      conversation: { id: group },
    },
    null,
    null,
    {
      __typename: 'Member',
      id: ids[9],
      role: 'OWNER',
      joinedSeq: 1,
      user: { id: 'alice' },
      conversation: { id: group },
    },
    null,
    null,
    { __typename: 'Message', id: `msg_${group}_2`, body: 'one' },
    { __typename: 'User', id: 'bob' },
  ])
})

it('reads what is of one kind together', async () => {
  const { api, group, reads, part } = await world()
  const ids = [`msg_${group}_3`, `msg_${group}_2`, ticksNodeId(part('bob')), ticksNodeId(part('alice'))]
  await api.ask('alice', query, { ids })
  expect(reads).toEqual(expect.arrayContaining(['messages 2', 'boundaries 2']))
  expect(reads.filter((read) => !read.startsWith('memberships'))).toHaveLength(2)
})

it('takes up to a hundred', async () => {
  const { api } = await world()
  const { nodes } = await api.ask('alice', query, { ids: Array(100).fill('bob') })
  expect(nodes).toHaveLength(100)
  await expect(api.ask('alice', query, { ids: Array(101).fill('bob') })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    field: 'ids',
  })
})

it('a member of a group is no member of it any more once they were removed, nor are their ticks shown', async () => {
  const { api, group, part } = await world()
  await api.updateMembers('alice', group, { remove: ['bob'] })
  const ids = [ticksNodeId(part('bob')), memberNodeId(part('bob'))]
  expect((await api.ask('alice', query, { ids })).nodes).toEqual([null, null])
  expect((await api.ask('bob', query, { ids: [ticksNodeId(part('alice')), ...ids] })).nodes).toEqual([null, null, null])
})

it('ticks and members have the same id wherever they are shown, and it is valid in node', async () => {
  const { api, group } = await world()
  const { conversation } = await api.ask(
    'bob',
    'query ($id: ID!) { conversation(id: $id) { ticks { id userId } memberships { id user { id } } } }',
    { id: group },
  )
  const ids = [...conversation.ticks, ...conversation.memberships].map(({ id }: { id: string }) => id)
  expect((await api.ask('bob', query, { ids })).nodes.map(({ id }: { id: string }) => id)).toEqual(ids)
})

it.each(['tck_dm_abc', 'mbr_dm_abc', 'tck_', 'alice'])('%s may be a user’s id, and is no id of a member', (userId) => {
  expect(isUserId(userId)).toBe(true)
  expect(parseMemberNodeId(userId)).toBeUndefined()
})

it.each(['alice', 'tck_dm_1', 'a|b:c@d.e-f'])(
  'the ids of what belongs to %s lead back, and are no user’s',
  (userId) => {
    const part = { conversationId: 'dm_abc-_1' as ConversationId, userId: userId as UserId }
    for (const id of [ticksNodeId(part), memberNodeId(part)]) {
      expect(parseMemberNodeId(id)).toEqual(part)
      expect(isUserId(id)).toBe(false)
    }
  },
)
