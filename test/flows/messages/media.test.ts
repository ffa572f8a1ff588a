import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DynamoCall } from '../../../src/engine/dynamodb/client.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { createPerson, type Person, type Recipient, type Via } from '../../kit/person.ts'
import { s3Credentials, startS3 } from '../../kit/services/s3.ts'
import { startWorld, type World } from '../../kit/world.ts'
import { realClock } from '../../transport/kit.ts'

const hourMs = 3_600_000

type File = { id: string; url: string; contentType: string; byteSize: number; name: string | null }
type Upload = { attachment: File; uploadUrl: string; headers: { name: string; value: string }[] }
type Sent = { duplicate: boolean; message: { seq: number; conversationId: string; body: string; attachments: File[] } }
type SendInput = { body?: string; attachmentIds?: string[] | null; clientMessageId?: string; replyToSeq?: number }

const file = 'attachments { id url contentType byteSize name }'
const create = `mutation ($input: CreateUploadInput!) {
  createUpload(input: $input) { attachment { id url contentType byteSize name } uploadUrl headers { name value } }
}`
const send = `mutation ($input: SendMessageInput!) {
  sendMessage(input: $input) { duplicate message { seq conversationId body ${file} } }
}`
const page = `query ($id: ID!) { messages(conversationId: $id) { edges { node { seq body ${file} } } } }`

const calls: DynamoCall[] = []
const asked = () => calls.map(({ operation, table }) => `${operation} ${table}`)
let world: World
let alice: Person
let bob: Person

beforeAll(async () => {
  world = await startWorld({ nodes: 2, app: { onDynamoCall: (call) => calls.push(call) } })
})
afterAll(() => world.stop())
beforeEach(async () => {
  alice = await world.person('alice')
  bob = await world.person('bob')
})

async function announce(person: Person, given: object = {}): Promise<Upload> {
  const input = { contentType: 'image/png', byteSize: 7, name: 'cat.png', ...given }
  return (await person.ask<{ createUpload: Upload }>(create, { input })).createUpload
}
const put = ({ uploadUrl, headers }: Upload, body: string) =>
  fetch(uploadUrl, {
    method: 'PUT',
    body,
    headers: headers.map(({ name, value }) => [name, value] as [string, string]),
  })
async function upload(person: Person, body = 'picture'): Promise<string> {
  const announced = await announce(person, { byteSize: body.length })
  expect((await put(announced, body)).status).toBe(200)
  return announced.attachment.id
}
async function say(person: Person, to: Recipient, input: SendInput, options: { via?: Via; node?: string } = {}) {
  const recipient = 'conversationId' in to ? { conversationId: to.conversationId } : { userId: to.userId }
  const whole = { clientMessageId: randomUUID(), body: '', ...input, to: recipient }
  return (await person.ask<{ sendMessage: Sent }>(send, { input: whole }, options)).sendMessage
}
async function shown(person: Person, id: string, node?: string) {
  type Page = { messages: { edges: { node: Sent['message'] }[] } }
  const { messages } = await person.ask<Page>(page, { id }, node ? { node } : {})
  return messages.edges.map((edge) => edge.node)
}
const textAt = async (url: string | undefined) => (await fetch(url ?? '')).text()
const refused = (what: RegExp) => ({
  code: 'BAD_USER_INPUT',
  field: 'attachmentIds',
  retryable: false,
  message: expect.stringMatching(what),
})

describe('a picture', () => {
  it('goes from one device to another, and its bytes never through the API', async () => {
    const announced = await announce(alice)
    expect(announced.headers).toEqual([{ name: 'content-type', value: 'image/png' }])
    expect((await put(announced, 'picture')).status).toBe(200)
    const { message } = await say(alice, bob, { body: 'look', attachmentIds: [announced.attachment.id] })
    expect(message.attachments).toMatchObject([
      { id: announced.attachment.id, contentType: 'image/png', byteSize: 7, name: 'cat.png' },
    ])

    const [atBob] = await shown(bob, message.conversationId, world.url(1))
    expect(atBob?.body).toBe('look')
    const url = atBob?.attachments[0]?.url ?? ''
    expect(new URL(url).origin).toBe(world.url(1))
    const answer = await fetch(url)
    expect(await answer.text()).toBe('picture')
    expect(answer.headers.get('content-type')).toBe('image/png')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-disposition')).toContain('inline')
  })

  it('is found at the address by which its reader knows the server, behind TLS too', async () => {
    const { message } = await say(alice, bob, { attachmentIds: [await upload(alice)] })
    const urlFor = async (headers: Record<string, string>) => {
      const answer = await fetch(`${world.url()}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${bob.token}`, ...headers },
        body: JSON.stringify({ query: page, variables: { id: message.conversationId } }),
      })
      const { data } = (await answer.json()) as { data: { messages: { edges: { node: Sent['message'] }[] } } }
      return new URL(data.messages.edges[0]?.node.attachments[0]?.url ?? '').origin
    }
    expect(await urlFor({})).toBe(world.url())
    expect(await urlFor({ origin: world.url().replace('http', 'https') })).toBe(world.url().replace('http', 'https'))
  })

  it('comes with the live message, over a WebSocket on another node', async () => {
    await alice.send(bob, 'first')
    const live = bob.ask<{ messageAdded: { message: Sent['message'] } }>(
      `subscription ($after: [PositionInput!]) { messageAdded(after: $after) { message { seq ${file} } } }`,
      { after: [{ conversationId: world.chatOf(alice, bob), seq: 1 }] },
      { via: 'ws', node: world.url(1) },
    )
    await world.online(bob)
    await say(alice, bob, { attachmentIds: [await upload(alice, 'live')] })
    const { message } = (await live).messageAdded
    expect(message.seq).toBe(2)
    expect(await textAt(message.attachments[0]?.url)).toBe('live')
  })

  it('needs no words, but something must be said or shown', async () => {
    const { message } = await say(alice, bob, { body: '', attachmentIds: [await upload(alice)] })
    expect(message).toMatchObject({ body: '', attachments: [{ byteSize: 7 }] })
    for (const attachmentIds of [undefined, null, []] as (string[] | null | undefined)[]) {
      const given = attachmentIds === undefined ? {} : { attachmentIds }
      await expect(say(alice, bob, { body: '', ...given })).rejects.toMatchObject({ field: 'body' })
    }
    const blank = { body: '  ', attachmentIds: [await upload(alice)] }
    await expect(say(alice, bob, blank)).rejects.toMatchObject({ field: 'body' })
  })

  it('may be one of ten, in the order they were sent', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, (_, i) => upload(alice, `picture ${i}`)))
    const { message } = await say(alice, bob, { attachmentIds: ids })
    expect(message.attachments.map(({ id }) => id)).toEqual(ids)
    const texts = await Promise.all(message.attachments.map(({ url }) => textAt(url)))
    expect(texts).toEqual(ids.map((_, i) => `picture ${i}`))
  })

  it('can be sent by REST too', async () => {
    const attachmentIds = [await upload(alice)]
    const answer = await fetch(`${world.url()}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
      body: JSON.stringify({ clientMessageId: 'rest-1', to: { userId: bob.userId }, body: '', attachmentIds }),
    })
    expect(answer.status).toBe(201)
    const [message] = await shown(bob, world.chatOf(alice, bob))
    expect(message?.attachments).toHaveLength(1)
  })

  it('is nobody else’s to see', async () => {
    const { message } = await say(alice, bob, { attachmentIds: [await upload(alice)] })
    const mallory = await world.person('mallory')
    await expect(shown(mallory, message.conversationId)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const node = `{ node(id: "msg_${message.conversationId}_1") { ... on Message { ${file} } } }`
    expect(await mallory.ask(node)).toEqual({ node: null })
    const bare = new URL(message.attachments[0]?.url ?? '')
    bare.searchParams.delete('signature')
    expect((await fetch(bare)).status).toBe(403)
  })

  it('stays with its message through an edit', async () => {
    const { message } = await say(alice, bob, { body: 'look', attachmentIds: [await upload(alice)] })
    await alice.edit(message.conversationId, message.seq, 'look here')
    const [edited] = await shown(bob, message.conversationId)
    expect(edited?.body).toBe('look here')
    expect(await textAt(edited?.attachments[0]?.url)).toBe('picture')
  })

  it('goes with its message: nobody is shown it, and its bytes are gone', async () => {
    const { message } = await say(alice, bob, { body: 'look', attachmentIds: [await upload(alice)] })
    const [before] = await shown(bob, message.conversationId)
    await alice.remove(message.conversationId, message.seq)
    expect(await shown(bob, message.conversationId)).toMatchObject([{ body: '', attachments: [] }])
    expect((await fetch(before?.attachments[0]?.url ?? '')).status).toBe(404)
  })
})

describe('an upload', () => {
  it.each([
    ['contentType', { contentType: 'image' }],
    ['contentType', { contentType: 'IMAGE/PNG' }],
    ['contentType', { contentType: 'text/html; charset=utf-8' }],
    ['contentType', { contentType: 'image/png\r\nx: y' }],
    ['byteSize', { byteSize: 0 }],
    ['byteSize', { byteSize: -1 }],
    ['byteSize', { byteSize: 25 * 1024 * 1024 + 1 }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(256) }],
    ['name', { name: '../../etc/passwd' }],
    ['name', { name: 'a\\b' }],
    ['name', { name: 'a\nb' }],
    ['name', { name: 'photo\u202Egpj.exe' }],
    ['name', { name: '..' }],
  ])('with a bad %s is refused: %j', async (field, given) => {
    await expect(announce(alice, given)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field })
  })

  it('may be as large as 25 MB, of any type, and without a name', async () => {
    const most = { byteSize: 25 * 1024 * 1024, contentType: 'image/svg+xml', name: null }
    expect((await announce(alice, most)).attachment).toMatchObject({ ...most, id: expect.stringMatching(/^att_/) })
    expect((await announce(alice, { name: '😀'.repeat(255) })).attachment.name).toBe('😀'.repeat(255))
  })

  it('needs a viewer', async () => {
    const answer = await fetch(`${world.url()}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: create, variables: { input: { contentType: 'image/png', byteSize: 1 } } }),
    })
    expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
  })

  it('of another size or type is refused where it goes', async () => {
    const announced = await announce(alice)
    expect((await put(announced, 'a larger picture')).status).toBe(413)
    expect((await put(announced, 'small')).status).toBe(403)
    const asHtml = [{ name: 'content-type', value: 'text/html' }]
    expect((await put({ ...announced, headers: asHtml }, 'picture')).status).toBe(403)
    const attachmentIds = [announced.attachment.id]
    await expect(say(alice, bob, { attachmentIds })).rejects.toMatchObject(refused(/not uploaded yet/))
  })

  it('that is not there yet can be sent once it is', async () => {
    const announced = await announce(alice)
    const input = { attachmentIds: [announced.attachment.id], clientMessageId: randomUUID() }
    await expect(say(alice, bob, input)).rejects.toMatchObject(refused(/not uploaded yet/))
    // The message that could not be sent has not made a chat either.
    expect((await bob.conversations()).edges).toEqual([])
    await put(announced, 'picture')
    expect(await say(alice, bob, input)).toMatchObject({ duplicate: false, message: { seq: 1 } })
  })

  it('goes with one message only, of two at once too', async () => {
    const id = await upload(alice)
    await say(alice, bob, { attachmentIds: [id] })
    await expect(say(alice, bob, { attachmentIds: [id] })).rejects.toMatchObject(refused(/another message/))
    const contested = await upload(alice)
    const both = await Promise.allSettled(
      [0, 1].map((node) => say(alice, bob, { attachmentIds: [contested] }, { node: world.url(node) })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('is its owner’s to send, and nobody learns of others', async () => {
    const id = await upload(alice)
    const words = /uploads of your own/
    const unknown = id.slice(0, -1) + (id.endsWith('0') ? '1' : '0')
    await expect(say(bob, alice, { attachmentIds: [id] })).rejects.toMatchObject(refused(words))
    await expect(say(bob, alice, { attachmentIds: [unknown] })).rejects.toMatchObject(refused(words))
    await say(alice, bob, { attachmentIds: [id] })
    await expect(say(bob, alice, { attachmentIds: [id] })).rejects.toMatchObject(refused(words))
  })

  it('is named once, one of ten at most, by its id', async () => {
    const id = await upload(alice)
    await expect(say(alice, bob, { attachmentIds: [id, id] })).rejects.toMatchObject(refused(/different/))
    const eleven = Array.from({ length: 11 }, (_, i) => `att_1_aaaaaaa${i}`)
    await expect(say(alice, bob, { attachmentIds: eleven })).rejects.toMatchObject(refused(/up to 10/))
    await expect(say(alice, bob, { attachmentIds: ['../cat.png'] })).rejects.toMatchObject(refused(/ids of uploads/))
  })
})

describe('a retry', () => {
  it('gets the message, and other content is a conflict', async () => {
    const input = { clientMessageId: randomUUID(), body: 'look', attachmentIds: [await upload(alice)] }
    const first = await say(alice, bob, input)
    const again = await say(alice, bob, input, { via: 'ws', node: world.url(1) })
    expect(again).toMatchObject({ duplicate: true, message: { seq: first.message.seq } })
    expect(again.message.attachments.map(({ id }) => id)).toEqual(input.attachmentIds)

    const conflict = { code: 'IDEMPOTENCY_CONFLICT' }
    const other = await upload(alice)
    const { attachmentIds: _none, ...withoutFile } = input
    await expect(say(alice, bob, { ...input, attachmentIds: [other] })).rejects.toMatchObject(conflict)
    await expect(say(alice, bob, withoutFile)).rejects.toMatchObject(conflict)
    await expect(say(alice, bob, { ...input, body: 'see' })).rejects.toMatchObject(conflict)
    // The conflict has not used the file up.
    expect(await say(alice, bob, { attachmentIds: [other] })).toMatchObject({ duplicate: false })
  })

  it('goes on where an earlier attempt broke off, and asks no more whether the bytes are there', async () => {
    const { ports } = world.nodes[0]?.parts ?? expect.fail()
    const clientMessageId = randomUUID()
    const { attachment } = await announce(alice)
    await ports.uploads.attach(attachment.id as never, clientMessageId as never)
    const input = { clientMessageId, attachmentIds: [attachment.id] }
    expect(await say(alice, bob, input)).toMatchObject({ duplicate: false, message: { attachments: [attachment] } })
  })

  it('of a message deleted since shows nothing', async () => {
    const input = { clientMessageId: randomUUID(), body: 'look', attachmentIds: [await upload(alice)] }
    const { message } = await say(alice, bob, input)
    await alice.remove(message.conversationId, message.seq)
    expect(await say(alice, bob, input)).toMatchObject({ duplicate: true, message: { body: '', attachments: [] } })
  })
})

describe('the cost', () => {
  it('of text is what it was: two writes and no read', async () => {
    await alice.send(bob, 'first')
    const chat = { conversationId: world.chatOf(alice, bob) }
    await bob.ack(chat.conversationId, 1)
    const atBob = bob.followLean()
    await world.online(bob)
    calls.length = 0
    await say(alice, chat, { body: 'text' })
    await atBob.receives(1)
    expect(asked()).toEqual(['PutItem sends', 'PutItem messages'])
    await atBob.stop()
  })

  it('of a picture is two reads and a write more; of looking at it, none', async () => {
    await alice.send(bob, 'first')
    const chat = { conversationId: world.chatOf(alice, bob) }
    await bob.ack(chat.conversationId, 1)
    const atBob = bob.followLean()
    await world.online(bob)
    const attachmentIds = [await upload(alice)]
    calls.length = 0
    await say(alice, chat, { attachmentIds })
    await atBob.receives(1)
    expect(asked()).toEqual([
      'GetItem sends',
      'BatchGetItem uploads',
      'UpdateItem uploads',
      'PutItem sends',
      'PutItem messages',
    ])
    calls.length = 0
    await shown(bob, chat.conversationId)
    expect(asked()).toEqual(['Query messages'])
    await atBob.stop()
  })
})

describe('a day later', () => {
  const ahead: Clock = { ...realClock, now: () => Date.now() + 27 * hourMs }
  let later: World
  beforeAll(async () => {
    later = await startWorld()
    // The sweep begins where it first finds itself.
    await later.nodes[0]?.parts.domain.sweepUploads()
    await later.startNode({ clock: ahead })
  })
  afterAll(() => later.stop())

  it('what was not sent cannot be sent any more, and is swept; what was sent stays', async () => {
    const { domain, ports } = later.nodes[1]?.parts ?? expect.fail()
    const ann = await createPerson(`ann-${randomUUID()}`, later.url(), {}, '3d')
    const ben = await createPerson(`ben-${randomUUID()}`, later.url(), {}, '3d')
    const [sent, unsent, abandoned] = [
      await upload(ann, 'sent'),
      await upload(ann, 'unsent'),
      await upload(ann, 'abandoned'),
    ]
    const toDelete = await announce(ann)
    const deleted = toDelete.attachment.id
    await put(toDelete, 'picture')
    const input = { clientMessageId: randomUUID(), attachmentIds: [sent] }
    const { message } = await say(ann, ben, input)
    const gone = await say(ann, ben, { attachmentIds: [deleted] })
    // A send crashed in the middle, and bytes outlived their message.
    await ports.uploads.attach(abandoned as never, randomUUID() as never)
    await ann.remove(gone.message.conversationId, gone.message.seq)
    await put(toDelete, 'picture')
    const tomorrow = { node: later.url(1) }
    await expect(say(ann, ben, { attachmentIds: [unsent] }, tomorrow)).rejects.toMatchObject(refused(/24 hours/))

    await domain.sweepUploads()

    const files = async () => (await readdir(join(later.dataDir, 'media'))).sort()
    expect(await files()).toEqual([sent])
    expect(await ports.uploads.getMany([sent, deleted, unsent, abandoned] as never[])).toEqual([])
    expect(await say(ann, ben, input, tomorrow)).toMatchObject({
      duplicate: true,
      message: { seq: message.seq, attachments: [{ id: sent }] },
    })
    // A second sweep finds its work done.
    await domain.sweepUploads()
    expect(await files()).toEqual([sent])
  })
})

describe('a server without a place for files', () => {
  it('says so, and serves everything else', async () => {
    const bare = await startWorld({ config: { media: 'none' } })
    try {
      const [ann, ben] = [await bare.person('ann'), await bare.person('ben')]
      const words = { code: 'FORBIDDEN', message: 'Attachments are not set up on this server.' }
      await expect(announce(ann)).rejects.toMatchObject(words)
      await expect(say(ann, ben, { attachmentIds: ['att_1_aaaaaaaa'] })).rejects.toMatchObject(words)
      expect((await say(ann, ben, { body: 'text' })).message.attachments).toEqual([])
    } finally {
      await bare.stop()
    }
  })
})

describe('a server with S3', () => {
  it('lets devices upload to it, and readers fetch from it', async () => {
    const s3 = await startS3('pictures')
    vi.stubEnv('AWS_ACCESS_KEY_ID', s3Credentials.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', s3Credentials.secretAccessKey)
    const media = { bucket: 'pictures', endpoint: s3.endpoint, region: 'us-east-1' }
    const inCloud = await startWorld({ config: { media } })
    try {
      const [ann, ben] = [await inCloud.person('ann'), await inCloud.person('ben')]
      const announced = await announce(ann)
      expect(announced.uploadUrl).toContain(s3.endpoint)
      const attachmentIds = [announced.attachment.id]
      await expect(say(ann, ben, { attachmentIds })).rejects.toMatchObject(refused(/not uploaded yet/))
      expect((await put(announced, 'picture')).status).toBe(200)
      const { message } = await say(ann, ben, { attachmentIds })
      const [atBen] = await shown(ben, message.conversationId)
      expect(await textAt(atBen?.attachments[0]?.url)).toBe('picture')
      await ann.remove(message.conversationId, message.seq)
      expect((await fetch(atBen?.attachments[0]?.url ?? '')).status).toBe(404)
    } finally {
      vi.unstubAllEnvs()
      await inCloud.stop()
      await s3.stop()
    }
  })
})
