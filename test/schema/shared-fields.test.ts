// A field that says it is the same for every viewer has its bytes sent to others as they are. So each of them is resolved here as
// different viewers, from the same source, and must come to the same.

import { type ExecutionResult, type GraphQLField, graphql, isIntrospectionType, isObjectType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharingOf } from '../../src/engine/graphql/sharing.ts'
import type { UserId } from '../../src/protocol/ids.ts'
import { Context } from '../../src/resolvers/context.ts'
import { listConversations } from '../../src/resolvers/conversations/conversations.ts'
import { membershipsOf } from '../../src/resolvers/conversations/groups.ts'
import { createCursors } from '../../src/resolvers/cursors.ts'
import { listMessages } from '../../src/resolvers/messages/messages.ts'
import { listBlockedUsers } from '../../src/resolvers/people/blocked-users.ts'
import { schema } from '../../src/schema/schema.ts'
import { memoryDomain } from '../kit/memory-domain.ts'

type Field = GraphQLField<unknown, unknown>

const marked = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter((type) => !isIntrospectionType(type))
  .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field: field as Field })))
  .filter(({ field }) => sharingOf(field).sameForAll !== undefined)
  .map(({ type, field }) => ({ name: `${type.name}.${field.name}`, typeName: type.name, field }))

const { domain } = memoryDomain()
const cursors = createCursors([Buffer.from('a key')])
const contextOf = (userId: string) =>
  new Context(domain, cursors, { userId: userId as UserId, name: userId, expiresAtMs: Number.MAX_SAFE_INTEGER })

/** By the name of their type: objects as resolvers are given them, from the log of a group in which something of everything has happened. */
const sources: Record<string, object[]> = {}

async function ask<Data>(userId: string, source: string, variableValues: Record<string, unknown>): Promise<Data> {
  const result: ExecutionResult = await graphql({ schema, source, contextValue: contextOf(userId), variableValues })
  expect(result.errors).toBeUndefined()
  return result.data as Data
}

beforeAll(async () => {
  // As with every operation of a viewer whose token has a name: others are shown it too.
  for (const userId of ['alice', 'bob', 'carol', 'dave']) {
    const { viewer } = contextOf(userId)
    if (viewer) await domain.people.remember(viewer)
  }
  const { createGroup } = await ask<{ createGroup: { conversation: { id: string } } }>(
    'alice',
    'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { conversation { id } } }',
    { input: { clientGroupId: 'g-1', title: 'Us', memberIds: ['bob', 'carol'] } },
  )
  const conversationId = createGroup.conversation.id
  const send = (body: string, more: object = {}) =>
    ask('alice', 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { seq } } }', {
      input: { clientMessageId: `m-${body}`, to: { conversationId }, body, ...more },
    })
  for (const body of ['one', 'two', 'three', 'four']) await send(body)
  const page = await listMessages(contextOf('alice'), { conversationId })
  const [fourth, third, second, first] = page.edges.map(({ node }) => node)
  if (!first || !second || !third || !fourth) throw new Error('There should be four messages.')
  const change = (operation: string, input: object) =>
    ask(
      'alice',
      `mutation ($input: ${operation[0]?.toUpperCase()}${operation.slice(1)}Input!) { ${operation}(input: $input) { message { seq } } }`,
      {
        input: { clientMessageId: `c-${operation}`, conversationId, ...input },
      },
    )
  await send('five', { replyToSeq: first.seq })
  await change('editMessage', { seq: second.seq, body: 'edited' })
  await change('deleteMessage', { seq: third.seq })
  await change('react', { seq: fourth.seq, emoji: '👍', on: true })
  await ask('bob', 'mutation ($input: AckInput!) { ack(input: $input) { ticks { userId } } }', {
    input: { conversationId, seq: first.seq },
  })
  const now = await listMessages(contextOf('alice'), { conversationId })
  const chats = await listConversations(contextOf('alice'), {})
  const { edges: withNotices } = await listMessages(contextOf('alice'), { conversationId, notices: true })
  sources.Message = withNotices.map(({ node }) => node)
  sources.GroupNotice = withNotices.flatMap(({ node }) => (node.notice ? [node.notice] : []))
  // Only Bob knows Dave.
  await ask('bob', 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { seq } } }', {
    input: { clientMessageId: 'm-dave', to: { userId: 'dave' }, body: 'hi' },
  })
  sources.User = [{ id: 'alice' }, { id: 'bob' }, { id: 'dave', mayBeStranger: true }]
  sources.MessageConnection = [now]
  sources.MessageEdge = now.edges as object[]
  sources.Conversation = chats.edges.map(({ node }) => node)
  sources.ConversationConnection = [chats]
  sources.ConversationEdge = chats.edges as object[]
  sources.Member = chats.edges.flatMap(({ node }) => membershipsOf(node))
  await domain.setBlocked('alice' as UserId, 'mallory' as UserId, true)
  const blocked = await listBlockedUsers(contextOf('alice'), {})
  sources.UserConnection = [blocked]
  sources.UserEdge = blocked.edges as object[]
  sources.PageInfo = [now.pageInfo, chats.pageInfo]
  sources.MessageAddedPayload = sources.Message.map((row) => ({ row, previousSeq: 1, catchUp: false }))
  sources.Ticks = [{ conversationId, userId: 'bob', lastDeliveredSeq: 1, lastReadSeq: 0 }]
})

describe('what is the same for every viewer', () => {
  it.each(marked)('$name', async ({ name, typeName, field }) => {
    const { sameForAll, exceptAuthor } = sharingOf(field)
    const viewers = exceptAuthor ? ['bob', 'carol'] : ['alice', 'bob', 'carol']
    const holds = (source: object) => sameForAll === true || sameForAll?.(source as never)
    const samples = (sources[typeName] ?? []).filter(holds)
    expect(samples, `${name} needs a source here that it is the same for`).not.toEqual([])
    for (const source of samples) {
      const shown = await Promise.all(viewers.map((viewer) => resolvedAs(field, source, contextOf(viewer))))
      for (const each of shown) expect(each).toEqual(shown[0])
    }
  })

  it('is marked on fields that are sent to many', () => {
    expect(marked.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Message.body', 'Message.tick', 'User.name']),
    )
  })
})

function resolvedAs({ name, resolve }: Field, source: object, context: Context): unknown {
  return resolve ? resolve(source, {}, context, {} as never) : (source as Record<string, unknown>)[name]
}
