import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inEmbedded, inFiles, inRedis, inTables, type Stored } from '../../kit/everything.ts'
import { createGroup, leave, updateMembers } from '../../kit/group-of.ts'
import type { Person } from '../../kit/person.ts'
import { createService, type Service } from '../../kit/service.ts'
import { connectDynamo } from '../../kit/services/dynamodb.ts'
import { s3Credentials, startS3 } from '../../kit/services/s3.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../kit/services/webhook-receiver.ts'
import { sharedService } from '../../kit/shared-services.ts'
import { startStockDevice } from '../../kit/stock-device.ts'
import { begin, ended, taskOf } from '../../kit/tasks.ts'
import { startWorld, type World } from '../../kit/world.ts'

// Two nodes, a real Redis, a DynamoDB server, files on the disk: what is left of somebody who was erased.

/** Where words of theirs, or their id, are before they are erased. */
const places = [
  ...[
    'messages',
    'sends',
    'conversations',
    'memberships',
    'message_status',
    'users',
    'blocks',
    'devices',
    'push_tokens',
  ],
  ...['device_starts', 'device_positions', 'reports', 'uploads', 'tasks', 'feed'],
]

/** How fast they were allowed to write, and how often they were pushed to, is forgotten within minutes. */
const soon = ['redis parley_rate', 'redis parley_push-budget']

/** It is in every text of theirs, and nowhere else. */
const word = 'marzipan'
const tasks = { lookMs: 200, leaseMs: 30_000, partBytes: 100_000, settleMs: 300 }

const config = { events: true, webhookAddresses: 'loopback', push: { preview: true, log: true } } as const

let world: World
let backend: Service
let peer: Person
let other: Person
let receiver: WebhookReceiver
let s3: Awaited<ReturnType<typeof startS3>> | undefined

async function setUp(store: string): Promise<void> {
  s3 = store === embedded ? undefined : await startS3('files')
  const media = s3 && { bucket: 'files', endpoint: s3.endpoint, region: 'us-east-1', credentials: s3Credentials }
  const backing = media ? { media } : ({ redis: 'embedded', dynamodb: 'embedded' } as const)
  world = await startWorld({ nodes: media ? 2 : 1, app: { tasks }, config: { ...config, ...backing } })
  receiver = await startWebhookReceiver()
  receiver.says(() => 500)
  backend = await createService('backend', world.url(world.nodes.length - 1))
  peer = await world.person('peer', { node: world.nodes.length - 1 })
  other = await world.person('other')
}

async function end(): Promise<void> {
  await world.stop()
  await receiver.stop()
  await s3?.stop()
}

const upload = async (person: Person): Promise<string> => {
  const { createUpload } = await person.ask<{
    createUpload: { attachment: { id: string }; uploadUrl: string; headers: { name: string; value: string }[] }
  }>(
    'mutation ($input: CreateUploadInput!) { createUpload(input: $input) { attachment { id } uploadUrl headers { name value } } }',
    { input: { contentType: 'text/plain', byteSize: word.length, name: `${word}.txt` } },
  )
  const headers = createUpload.headers.map(({ name, value }) => [name, value] as [string, string])
  await fetch(new URL(createUpload.uploadUrl, person.url), { method: 'PUT', headers, body: word })
  return createUpload.attachment.id
}

const sendInput = (person: Person, input: object) =>
  person.ask<{ sendMessage: { message: { seq: number } } }>(
    'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { seq } } }',
    { input: { clientMessageId: `${word}-${randomUUID()}`, ...input } },
  )

const erase = async (person: Person) => ended(backend, (await begin(backend, 'eraseUser', person.userId)).id)

const userOf = async (id: string) =>
  (
    await backend.ask<{ user: Record<string, unknown> | null }>(
      'query ($id: ID!) { user(id: $id) { id name banned erasedAt lastSeenAt metadata } }',
      { id },
    )
  ).user

async function stored(): Promise<Stored[]> {
  if (!s3) return [...(await inEmbedded(world.dataDir)), ...(await inFiles(join(world.dataDir, 'media')))]
  const dynamo = { ...connectDynamo(await sharedService('dynalite')), tablePrefix: world.prefix }
  const all = await Promise.all([inTables(dynamo), inRedis(world.redis.raw), inFiles(s3.directory)])
  dynamo.client.close()
  return all.flat()
}

const embedded = 'the embedded store and the disk'
const backings = ['DynamoDB, Redis and S3', embedded]

describe.each(backings)('everything somebody has left in %s', (store) => {
  let person: Person
  let groupId: string
  let leftId: string
  let chatId: string
  let pseudonym: string

  beforeAll(async () => {
    await setUp(store)
    person = await world.person(`p-${word}`, { displayName: `Mr ${word}` })
    chatId = world.chatOf(person, peer)
    await person.ask('mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { name } } }', {
      input: { name: `The ${word}`, avatarUrl: `https://pictures.example/${word}.png` },
    })
    await person.ask('mutation ($input: RegisterDeviceInput!) { registerDevice(input: $input) { deviceId } }', {
      input: { deviceId: `phone-${word}`, platform: 'LOG', token: `token-${word}` },
    })
    await backend.ask('mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }', {
      input: { url: receiver.url },
    })
    await backend.ask('mutation ($input: UpsertUsersInput!) { upsertUsers(input: $input) { users { id } } }', {
      input: { users: [{ id: person.userId, metadata: { note: word } }] },
    })
    // A direct chat: a text, an edit, a deletion, a reaction to the peer's, a file, an answer.
    await person.send(peer, `${word} one`)
    await peer.send(person, 'hello you')
    await sendInput(person, { to: { userId: peer.userId }, body: `${word} two`, metadata: { note: word } })
    await person.edit(chatId, 3, `${word} three`)
    await person.react(chatId, 2, '🎉')
    const attachmentIds = [await upload(person)]
    await sendInput(person, { to: { userId: peer.userId }, body: '', attachmentIds, replyToSeq: 2 })
    await peer.react(chatId, 1, '👍')
    await person.ack(chatId, 2)
    await person.markRead(chatId, 2)
    // A group of theirs, and one that they have left.
    groupId = (await createGroup(person, [peer, other], { title: 'Tea' })).id
    await sendInput(person, { to: { conversationId: groupId }, body: `${word} in the group` })
    await peer.send({ conversationId: groupId }, 'what a group')
    await person.react(groupId, 3, '👋')
    leftId = (await createGroup(peer, [person, other], { title: 'Cake' })).id
    await sendInput(person, { to: { conversationId: leftId }, body: `${word} in another` })
    await leave(person, leftId)
    const removedId = (await createGroup(peer, [person], { title: 'Short' })).id
    await sendInput(person, { to: { conversationId: removedId }, body: `${word} in a third` })
    await updateMembers(peer, removedId, { remove: [person] })
    // Notes to self, blocks in both directions, a stream with a device, an export.
    await person.send(person, `${word} to myself`)
    const block = (by: Person, { userId }: Person) =>
      by.ask('mutation ($input: SetBlockedInput!) { setBlocked(input: $input) { userId } }', {
        input: { userId, blocked: true },
      })
    await block(person, other)
    await block(other, person)
    const report = 'mutation ($input: ReportMessageInput!) { reportMessage(input: $input) { __typename } }'
    const why = { reason: 'OTHER', comment: `${word} minds` }
    await person.ask(report, { input: { conversationId: groupId, seq: 3, ...why } })
    await peer.ask(report, { input: { conversationId: groupId, seq: 2, reason: 'SPAM' } })
    const stream = person.follow()
    await world.online(person)
    await stream.stop()
    const device = startStockDevice(person, { deviceId: `phone-${word}` })
    await device.receives(1)
    await device.ack(chatId, 2)
    await device.stop()
    await person.ask(
      'mutation ($input: UpdateConversationInput!) { updateConversation(input: $input) { conversation { id } } }',
      { input: { conversationId: groupId, mutedUntil: '2099-01-01T00:00:00.000Z', pinned: true } },
    )
    await world.offline(person)
    await peer.send(person, 'a banner for you')
    await ended(backend, (await begin(backend, 'exportUser', person.userId)).id)
    await ended(backend, (await begin(backend, 'exportConversation', groupId)).id)
    const found = (await stored()).filter(({ text }) => text.includes(word))
    const tables = [...new Set(found.map(({ where }) => where))]
    expect(tables).toEqual(expect.arrayContaining(places))
  })
  afterAll(end)

  it('is taken out, live and for those who were away', async () => {
    const watching = peer.followChanges(
      { after: [{ conversationId: chatId, seq: 0 }] },
      world.url(world.nodes.length - 1),
    )
    await watching.receives(3)
    const lastKnown = (await peer.conversation(chatId))?.lastSeq ?? 0
    expect(await erase(person)).toMatchObject({ kind: 'eraseUser', state: 'DONE', progress: 1 })

    const seen = await watching.sees(
      ({ message, seq }) => message.conversationId === chatId && message.seq === 1 && seq > lastKnown,
    )
    expect(seen.message).toMatchObject({ body: '', deletedAt: expect.any(String) as string })
    pseudonym = seen.message.sender.id
    expect(pseudonym).toMatch(/^erased\./)
    await watching.stop()

    // A device that held everything before, and was away.
    const back = peer.followChanges({ after: [{ conversationId: chatId, seq: lastKnown }] }, world.url(0))
    await back.receives(4)
    // Other conversations of the peer's may come in between.
    await back.sees(({ message, seq }) => message.conversationId === chatId && message.seq === 6 && seq > lastKnown)
    const ofChat = back.events.filter(({ message }) => message.conversationId === chatId)
    const told = new Map(ofChat.map(({ message }) => [message.seq, message]))
    await back.stop()
    expect([...told.keys()].sort()).toEqual([1, 2, 3, 6])
    expect(told.get(2)).toMatchObject({ body: 'hello you', reactions: [] })
    for (const seq of [1, 3, 6]) expect(told.get(seq)).toMatchObject({ body: '', sender: { id: pseudonym } })
  })

  it('keeps the order, the numbers and the ticks of the others', async () => {
    const { edges } = await peer.history(chatId)
    expect(edges.map(({ node }) => [node.seq, node.body])).toEqual([
      [8, 'a banner for you'],
      [6, ''],
      [3, ''],
      [2, 'hello you'],
      [1, ''],
    ])
    expect(edges[3]?.node).toMatchObject({ tick: 'READ' })
    for (const { url } of world.nodes) {
      const { conversation } = await peer.ask<{ conversation: { members: { id: string; name: string | null }[] } }>(
        'query ($id: ID!) { conversation(id: $id) { members { id name } } }',
        { id: chatId },
        { node: url },
      )
      expect(conversation.members.map(({ id }) => id).sort()).toEqual([peer.userId, pseudonym].sort())
    }
    const group = await peer.conversation(groupId)
    expect(group?.members.map(({ id }) => id).sort()).toEqual([other.userId, peer.userId].sort())
    await peer.send({ conversationId: chatId }, 'are you there?')
    expect((await peer.conversation(chatId))?.lastMessage?.body).toBe('are you there?')
  })

  it('is nowhere any more, but where docs/erasure.md says', async () => {
    const found = await stored()
    expect(found.filter(({ text }) => text.includes(word) && !text.includes(person.userId))).toEqual([])
    const named = found.filter(({ where, text }) => !soon.includes(where) && text.includes(person.userId))
    const kinds = [...new Set(named.map(({ where }) => where))].sort()
    expect(kinds).toEqual(['feed', 'restrictions', 'users'])
    // The mark that refuses them, and facts of the feed until they expire: with the id, and without a word.
    const without = named.map(({ text }) => text.replaceAll(person.userId, ''))
    expect(without.filter((text) => text.includes(word))).toEqual([])
  })

  it('does not come back: tokens, names, groups and new chats are refused, and a second call is the first', async () => {
    await expect(person.send(peer, 'again')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(await userOf(person.userId)).toMatchObject({
      ...{ id: person.userId, name: null, metadata: null, banned: true, lastSeenAt: null },
      erasedAt: expect.any(String) as string,
    })
    const task = await begin(backend, 'eraseUser', person.userId)
    expect(await taskOf(backend, task.id)).toEqual(task)
    expect(task.state).toBe('DONE')
    const upsert = 'mutation ($input: UpsertUsersInput!) { upsertUsers(input: $input) { users { id } } }'
    await expect(
      backend.ask(upsert, { input: { users: [{ id: person.userId, name: 'Back' }] } }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const unban = 'mutation ($input: UserIdInput!) { unbanUser(input: $input) { user { id } } }'
    await expect(backend.ask(unban, { input: { userId: person.userId } })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const added = await updateMembers(peer, leftId, { add: [person] })
    expect(added.members.map(({ id }) => id)).not.toContain(person.userId)
    await expect(other.send(person, 'hello?')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const { sendMessage } = await peer.ask<{ sendMessage: { message: { conversationId: string } } }>(
      'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { conversationId } } }',
      { input: { clientMessageId: randomUUID(), to: { userId: person.userId }, body: 'and now?' } },
    )
    expect(sendMessage.message.conversationId).toBe(chatId)
  })

  it('nobody else is erased who was never here', async () => {
    await expect(begin(backend, 'eraseUser', 'nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(begin(backend, 'eraseUser', 'backend')).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
  })
})
