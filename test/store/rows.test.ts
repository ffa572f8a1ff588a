import { type AttributeValue, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DynamoCall } from '../../src/engine/dynamodb/client.ts'
import type { Message } from '../../src/ports/log.ts'
import type { Stores } from '../../src/ports/ports.ts'
import { attachmentId, type UserId } from '../../src/protocol/ids.ts'
import { createStoresDynamo } from '../../src/store/dynamo/stores.ts'
import { createTables } from '../../src/store/dynamo/table-setup.ts'
import type { Dynamo, TableName } from '../../src/store/rows/tables.ts'
import { aChange, aClientMessageId, aConversation, aGroup, aMessage, aUser, aVoid, upTo } from '../kit/ids.ts'
import { dynamoBackends } from '../kit/services/dynamo-backends.ts'
import { connectDynamo } from '../kit/services/dynamodb.ts'
import { sharedService } from '../kit/shared-services.ts'

const credentials = { accessKeyId: 'none', secretAccessKey: 'none' }

const backends: { name: string; endpointOf: () => Promise<string>; wire?: 'lean' | 'sdk' }[] = [
  ...dynamoBackends,
  { name: 'dynalite, by the SDK', endpointOf: () => sharedService('dynalite'), wire: 'sdk' },
]

describe.each(backends)('on $name', ({ endpointOf, wire = 'lean' }) => {
  const calls: DynamoCall[] = []
  let dynamo: Dynamo
  let stores: Stores
  let reader: DynamoDBClient
  beforeAll(async () => {
    const endpoint = await endpointOf()
    reader = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials })
    dynamo = connectDynamo(endpoint, { wire, onCall: (call) => calls.push(call) })
    await createTables(dynamo)
    stores = createStoresDynamo(dynamo)
  })

  afterAll(() => {
    reader.destroy()
    return dynamo.client.close()
  })

  const stored = async (name: TableName, key: Record<string, AttributeValue>) => {
    const command = new GetItemCommand({ TableName: `${dynamo.tablePrefix}${name}`, Key: key, ConsistentRead: true })
    return (await reader.send(command)).Item
  }
  const costOf = async (work: () => Promise<unknown>) => {
    calls.length = 0
    await work()
    return calls.map(({ operation, table, capacityUnits }) => `${operation} ${table} ${capacityUnits}`)
  }

  describe('a stored row', () => {
    test('of a message has the documented columns', async () => {
      const message = aMessage(aConversation(), 12, { sentAtMs: Date.UTC(2026, 2, 1, 9, 5, 7, 40), body: 'hi' })
      await stores.messages.put(message)
      const key = { conversation_id: { S: message.conversationId }, seq: { N: '12' } }
      expect(await stored('messages', key)).toEqual({
        ...key,
        kind: { S: 'message' },
        message_id: { S: message.messageId },
        client_message_id: { S: message.clientMessageId },
        sender_id: { S: message.senderId },
        body: { S: 'hi' },
        sent_at: { S: '2026-03-01T09:05:07.040Z' },
      })
    })

    test('of a message with attachments says where they are, in s3_ref', async () => {
      const id = attachmentId(500_000, 'cafe0123')
      const file = { key: `attachments/${id}`, contentType: 'image/png', byteSize: 9, name: 'cat.png' }
      const message = aMessage(aConversation(), 1, { attachments: [{ id, ...file }] })
      await stores.messages.put(message)
      const row = await stored('messages', { conversation_id: { S: message.conversationId }, seq: { N: '1' } })
      expect(JSON.parse(row?.s3_ref?.S ?? '')).toEqual([file])
    })

    test('of an upload is found by the hour in which it expires', async () => {
      const id = attachmentId(500_000, 'cafe0123-4567')
      const file = { id, key: `attachments/${id}`, contentType: 'image/png', byteSize: 9, name: 'cat.png' }
      const ownerId = aUser()
      await stores.uploads.create({ ...file, ownerId, expiresAtMs: Date.UTC(2027, 0, 15, 8, 30) })
      const key = { due: { S: '500000#c' }, upload_id: { S: id } }
      expect(await stored('uploads', key)).toEqual({
        ...key,
        owner_id: { S: ownerId },
        s3_ref: { S: `attachments/${id}` },
        content_type: { S: 'image/png' },
        byte_size: { N: '9' },
        name: { S: 'cat.png' },
        expires_at: { S: '2027-01-15T08:30:00.000Z' },
      })
    })

    describe('of a message of an earlier release, with a reaction in each entry of a map,', () => {
      const withReactions = async (reactions: Record<string, number>, reacted?: Record<string, string>) => {
        const { conversationId, seq, senderId } = aMessage(aConversation(), 1)
        const columns = { message_id: '1', client_message_id: 'one', sent_at: '2027-01-15T08:30:00.000Z', body: 'one' }
        await dynamo.client.call('PutItem', 'messages', {
          TableName: `${dynamo.tablePrefix}messages`,
          Item: {
            conversation_id: conversationId,
            seq,
            kind: 'message',
            sender_id: senderId,
            ...columns,
            reactions,
            reacted,
          },
        })
        return aMessage(conversationId, 1)
      }
      const reactionsOf = async (message: Message) => {
        const row = await stores.messages.get(message)
        if (row?.kind !== 'message') expect.fail()
        return row.reactions?.map(({ emoji, userId, seq, on }) => `${seq} ${emoji} ${userId} ${on}`)
      }
      const by = (userId: string, emoji: string, on: boolean) =>
        [{ type: 'reaction', emoji, on }, { senderId: userId as UserId }] as const

      test('shows them, whatever the emoji, and what is changed later', async () => {
        const message = await withReactions({ '👍 bob': 5, '🎉 bob': -7, ' \u20e3 carol': 6 })
        expect(await reactionsOf(message)).toEqual(['5 👍 bob true', '6  \u20e3 carol true', '7 🎉 bob false'])
        await stores.messages.alter(aChange(message, 6, ...by('bob', '🎉', true)))
        await stores.messages.alter(aChange(message, 8, ...by('bob', '👍', false)))
        await stores.messages.alter(aChange(message, 9, ...by('bob', '🎉', true)))
        expect(await reactionsOf(message)).toEqual(['6  \u20e3 carol true', '8 👍 bob false', '9 🎉 bob true'])
      })

      test('shows those of somebody called like a part of every object, and what they change later', async () => {
        const message = await withReactions({}, { valueOf: '1\n+5 👍' })
        expect(await reactionsOf(message)).toEqual(['5 👍 valueOf true'])
        await stores.messages.alter(aChange(message, 6, ...by('valueOf', '🎉', true)))
        await stores.messages.alter(aChange(message, 7, ...by('valueOf', '👍', false)))
        expect(await reactionsOf(message)).toEqual(['6 🎉 valueOf true', '7 👍 valueOf false'])
      })

      test('that has no room left lets nothing new in, and everybody take theirs back', async () => {
        const others = upTo(2030).map((n) => [`${'👍'.repeat(48)} ${n}`, n] as const)
        const message = await withReactions({ ...Object.fromEntries(others), '👍 bob': 2100 })
        const late = await stores.messages.alter(aChange(message, 3000, ...by('carol', '👍', true)))
        expect(late?.reactions?.some(({ userId }) => userId === 'carol')).toBe(false)
        await stores.messages.alter(aChange(message, 3001, ...by('bob', '👍', false)))
        expect((await reactionsOf(message))?.at(-1)).toBe('3001 👍 bob false')
      })
    })

    test('of a void has its key and its kind', async () => {
      const skipped = aVoid(aConversation(), 3)
      await stores.messages.put(skipped)
      const key = { conversation_id: { S: skipped.conversationId }, seq: { N: '3' } }
      expect(await stored('messages', key)).toEqual({ ...key, kind: { S: 'void' } })
    })

    const aClaim = () => ({
      senderId: aUser(),
      clientMessageId: aClientMessageId(),
      conversationId: aConversation(),
      seq: 4,
      payloadHash: 'hash',
    })

    test('of a claim is found by sender and client id, and has no expiry', async () => {
      const claim = aClaim()
      await stores.claims.claim(claim)
      await stores.claims.move(claim, 5)
      const key = { send_key: { S: `${claim.senderId}#${claim.clientMessageId}` } }
      expect(await stored('sends', key)).toEqual({
        ...key,
        sender_id: { S: claim.senderId },
        client_message_id: { S: claim.clientMessageId },
        conversation_id: { S: claim.conversationId },
        seq: { N: '5' },
        payload_hash: { S: 'hash' },
      })
    })

    test('of a claim in the short form does not repeat its key', async () => {
      const claim = aClaim()
      const short = createStoresDynamo(dynamo, { form: 'short', ttlDays: 0 })
      await short.claims.claim(claim)
      const key = { send_key: { S: `${claim.senderId}#${claim.clientMessageId}` } }
      expect(await stored('sends', key)).toEqual({
        ...key,
        conversation_id: { S: claim.conversationId },
        seq: { N: '4' },
        payload_hash: { S: 'hash' },
      })
    })

    test('of a claim that expires says when, in seconds, and keeps that when it moves', async () => {
      const claim = aClaim()
      const clock = { ...dynamo.clock, now: () => 1_790_000_000_001 }
      const expiring = createStoresDynamo({ ...dynamo, clock }, { form: 'full', ttlDays: 30 })
      await expiring.claims.claim(claim)
      await stores.claims.move(claim, 5)
      const row = await stored('sends', { send_key: { S: `${claim.senderId}#${claim.clientMessageId}` } })
      expect([row?.expires_at_s, row?.seq]).toEqual([{ N: String(1_790_000_001 + 30 * 86_400) }, { N: '5' }])
    })

    test('of a pending delivery has exactly its three columns, lowered or raised', async () => {
      const [receiver, conversation] = [aUser(), aConversation()]
      const key = { receiver_id: { S: receiver }, conversation_id: { S: conversation } }
      await stores.pending.lower(receiver, conversation, 9)
      await stores.pending.lower(receiver, conversation, 4)
      expect(await stored('pending_deliveries', key)).toEqual({ ...key, first_undelivered_seq: { N: '4' } })
      await stores.pending.raise(receiver, conversation, 6)
      expect(await stored('pending_deliveries', key)).toEqual({ ...key, first_undelivered_seq: { N: '6' } })
    })

    test('of the boundaries never has a read without a delivered', async () => {
      const member = { userId: aUser(), conversationId: aConversation() }
      const key = { user_id: { S: member.userId }, conversation_id: { S: member.conversationId } }
      await stores.boundaries.read(member, 2, 7)
      expect(await stored('message_status', key)).toEqual({
        ...key,
        last_delivered_seq: { N: '2' },
        last_read_seq: { N: '2' },
      })
    })

    test('of a conversation, a membership and a user has the documented columns', async () => {
      const [userId, id] = [aUser(), aConversation()]
      await stores.conversations.create(aGroup({ id, members: [userId], title: 'Tea', version: 7 }))
      await stores.memberships.add(userId, { conversationId: id, joinedSeq: 0 })
      await stores.profiles.put({ userId, name: 'Zoë' })
      expect(await stored('conversations', { conversation_id: { S: id } })).toEqual({
        conversation_id: { S: id },
        kind: { S: 'GROUP' },
        members: { L: [{ S: userId }] },
        title: { S: 'Tea' },
        roles: { L: [{ S: 'OWNER' }] },
        joined_seqs: { L: [{ N: '1' }] },
        version: { N: '7' },
        past_versions: { L: [] },
      })
      const membership = { user_id: { S: userId }, conversation_id: { S: id } }
      expect(await stored('memberships', membership)).toEqual({ ...membership, joined_seq: { N: '0' } })
      const mutedUntilMs = Date.UTC(2026, 2, 1, 9, 5, 7, 40)
      await stores.memberships.configure(
        { userId, conversationId: id },
        { mutedUntilMs, pinned: true, archived: false },
      )
      expect(await stored('memberships', membership)).toEqual({
        ...membership,
        joined_seq: { N: '0' },
        muted_until: { S: '2026-03-01T09:05:07.040Z' },
        pinned: { N: '1' },
        archived: { N: '0' },
      })
      expect(await stored('users', { user_id: { S: userId } })).toEqual({ user_id: { S: userId }, name: { S: 'Zoë' } })
      await stores.profiles.change(userId, { ownName: 'Z', avatarUrl: 'https://example.com/z.png' })
      expect(await stored('users', { user_id: { S: userId } })).toEqual({
        user_id: { S: userId },
        name: { S: 'Zoë' },
        own_name: { S: 'Z' },
        avatar_url: { S: 'https://example.com/z.png' },
      })
    })

    test('of a departure is beside the blocks, with the time', async () => {
      const departure = { userId: aUser(), groupId: aConversation(), leftAtMs: 1_790_000_000_000 }
      const key = { user_id: { S: departure.userId }, blocked_id: { S: departure.groupId } }
      await stores.departures.put(departure)
      expect(await stored('blocks', key)).toEqual({ ...key, left_at_ms: { N: '1790000000000' } })
    })

    test('of a block has its key alone, and is gone once it is lifted', async () => {
      const block = { userId: aUser(), blockedId: aUser() }
      const key = { user_id: { S: block.userId }, blocked_id: { S: block.blockedId } }
      await stores.blocks.set(block, true)
      expect(await stored('blocks', key)).toEqual(key)
      await stores.blocks.set(block, false)
      expect(await stored('blocks', key)).toBeUndefined()
    })
  })

  describe('the cost', () => {
    test('of a send is a claim and a message, and no read', async () => {
      const message = aMessage(aConversation(), 1)
      const claim = { ...message, payloadHash: 'hash' }
      const cost = await costOf(async () => {
        await stores.claims.claim(claim)
        await stores.messages.put(message)
      })
      expect(cost).toEqual(['PutItem sends 1', 'PutItem messages 1'])
    })

    test('of a refused write is counted', async () => {
      const message = aMessage(aConversation(), 1)
      await stores.messages.put(message)
      expect(await costOf(() => stores.messages.put(message))).toEqual(['PutItem messages 1'])
    })

    test('of a page of small rows is one query, full or not', async () => {
      const conversationId = aConversation()
      await Promise.all(upTo(10).map((seq) => stores.messages.put(aMessage(conversationId, seq))))
      const oneQuery = ['Query messages 1']
      expect(await costOf(() => stores.messages.above(conversationId, 0, 10))).toEqual(oneQuery)
      expect(await costOf(() => stores.messages.above(conversationId, 0, 4))).toEqual(oneQuery)
      expect(await costOf(() => stores.messages.above(conversationId, 5, 10))).toEqual(oneQuery)
      expect(await costOf(() => stores.messages.below(conversationId, 11, 10))).toEqual(oneQuery)
      expect(await costOf(() => stores.messages.below(conversationId, 4, 10))).toEqual(oneQuery)
      expect(
        await costOf(() => stores.messages.ofOthers(conversationId, { after: 0, before: 1000 }, aUser(), 10)),
      ).toEqual(oneQuery)
      expect(
        await costOf(() => stores.messages.ofOthers(conversationId, { after: 0, before: 1000 }, aUser(), 100)),
      ).toEqual(oneQuery)
      expect(await costOf(() => stores.messages.above(conversationId, 0, 0))).toEqual([])
    })

    test('of what a user is in, and of their boundaries, is one query for any number of streams that ask at once', async () => {
      const userId = aUser()
      const four = (ask: () => Promise<unknown>) => costOf(() => Promise.all([ask(), ask(), ask(), ask()]))
      expect(await four(() => stores.memberships.ofUser(userId))).toHaveLength(1)
      expect(await four(() => stores.boundaries.ofUser(userId))).toHaveLength(1)
    })

    test('of 250 cells is three batches', async () => {
      const conversationId = aConversation()
      const addresses = upTo(250).map((seq) => ({ conversationId, seq }))
      const cost = await costOf(() => stores.messages.getMany(addresses))
      expect(cost.map((call) => call.split(' ')[0])).toEqual(['BatchGetItem', 'BatchGetItem', 'BatchGetItem'])
    })

    test('of a boundary that rises is one write', async () => {
      const member = { userId: aUser(), conversationId: aConversation() }
      const oneWrite = ['UpdateItem message_status 1']
      expect(await costOf(() => stores.boundaries.deliver(member, 5))).toEqual(oneWrite)
      expect(await costOf(() => stores.boundaries.read(member, 3, 5))).toEqual(oneWrite)
      expect(await costOf(() => stores.boundaries.read(member, 9, 5))).toEqual(oneWrite)
    })

    test('of a boundary that is there already is one write and one read', async () => {
      const member = { userId: aUser(), conversationId: aConversation() }
      await stores.boundaries.read(member, 5)
      const refused = ['UpdateItem message_status 1', 'GetItem message_status 1']
      expect(await costOf(() => stores.boundaries.deliver(member, 5))).toEqual(refused)
      expect(await costOf(() => stores.boundaries.read(member, 5, 5))).toEqual(refused)
      expect(await costOf(() => stores.boundaries.read(member, 4))).toEqual(refused)
    })
  })
})
