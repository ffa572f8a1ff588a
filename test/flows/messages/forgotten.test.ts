import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDomain } from '../../../src/domain/domain.ts'
import type { Change } from '../../../src/ports/log.ts'
import type { ClientMessageId, MessageId, UserId } from '../../../src/protocol/ids.ts'
import { createDynamoStoreClient } from '../../../src/store/dynamo/client.ts'
import { tableNames } from '../../../src/store/rows/tables.ts'
import { memoryDomain } from '../../kit/memory-domain.ts'
import type { Person } from '../../kit/person.ts'
import { sharedService } from '../../kit/shared-services.ts'
import { startWorld, type World } from '../../kit/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2 })
})
afterAll(() => world.stop())

/** Returns every row of every table, and every key of Redis with what is in it. */
async function everything(): Promise<string> {
  const client = createDynamoStoreClient({
    endpoint: await sharedService('dynalite'),
    region: 'us-east-1',
    now: Date.now,
    random: Math.random,
    requestTimeoutMs: 20_000,
  })
  try {
    const tables = await Promise.all(
      tableNames.map((name) =>
        client.call('Scan', name, { TableName: `${world.prefix}${name}`, ConsistentRead: true }),
      ),
    )
    return JSON.stringify(tables.map(({ Items }) => Items)) + (await inRedis())
  } finally {
    await client.close()
  }
}

async function inRedis(): Promise<string> {
  const { raw } = world.redis
  const keys = await raw.keys('*')
  const contents = keys.map(async (key) => {
    const type = await raw.type(key)
    if (type === 'hash') return raw.hgetall(key)
    if (type === 'zset') return raw.zrange(key, 0, -1)
    if (type === 'stream') return raw.xrange(key, '-', '+')
    return type === 'set' ? raw.smembers(key) : raw.get(key)
  })
  return JSON.stringify([keys, await Promise.all(contents)])
}

async function aChat(): Promise<[Person, Person, string]> {
  const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
  return [alice, bob, world.chatOf(alice, bob)]
}

const plainHash = (text: string) => createHash('sha256').update(text).digest('base64url')

describe('what was deleted', () => {
  it('is in no row of any table and in no key of Redis, nor are the words of its edits', async () => {
    const [alice, bob, chat] = await aChat()
    const words = ['first', 'second', 'third'].map((word) => `${word}-${randomUUID()}`)
    const [first = '', second = '', third = ''] = words
    await alice.send(bob, first)
    expect(await everything()).toContain(first)
    await alice.edit(chat, 1, second)
    expect(await everything()).not.toContain(first)
    await alice.edit(chat, 1, third)
    expect(await everything()).not.toContain(second)
    await alice.remove(chat, 1)
    const left = await everything()
    for (const word of words) expect(left).not.toContain(word)
  })

  it('cannot be guessed by its hash either', async () => {
    const [alice, bob, chat] = await aChat()
    await alice.send(bob, 'yes')
    await alice.edit(chat, 1, 'no')
    await alice.remove(chat, 1)
    const left = await everything()
    const edit = `\0${1} ${JSON.stringify({ type: 'edit', body: 'no' })}`
    for (const text of ['yes', 'no', edit]) expect(left).not.toContain(plainHash(text))
  })

  it('takes along an edit that was stored and not applied, once a stream meets that', async () => {
    const [alice, bob, chat] = await aChat()
    await alice.send(bob, 'one')
    const { messages } = world.nodes[0]?.parts.ports ?? expect.fail()
    const message = await messages.get({ conversationId: chat, seq: 1 } as never)
    if (message?.kind !== 'message') expect.fail()
    const word = randomUUID()
    const alteration = { type: 'edit', body: word } as const
    const crashed: Change = {
      ...message,
      kind: 'change',
      seq: 2,
      targetSeq: 1,
      clientMessageId: 'crashed' as never,
      alteration,
    }
    await messages.put(crashed)
    await alice.remove(chat, 1)
    const atBob = bob.followChanges({ after: [{ conversationId: chat, seq: 1 }] })
    await atBob.receives(2)
    expect(await everything()).not.toContain(word)
    await atBob.stop()
  })
})

describe('a retry', () => {
  /** Two nodes are on the same stores, with secrets of their own, as before and after a rotation. */
  function twoSecrets() {
    const { ports } = memoryDomain()
    let ids = 0
    const nodeWith = (secret: string | undefined) =>
      createDomain(ports, {
        nextMessageId: () => String(++ids) as MessageId,
        randomId: () => String(++ids),
        onDetachError: () => undefined,
        ...(secret && { payloadKeys: [{ id: secret, mac: (text: string) => plainHash(secret + text) }] }),
      })
    return { nodeWith }
  }
  const [alice, bob] = ['alice', 'bob'] as UserId[] as [UserId, UserId]
  const draft = (body: string) => ({ clientMessageId: 'same' as ClientMessageId, body })

  it.each([
    ['a plain hash of an earlier release', undefined, 'new'],
    ['a hash by a secret that was replaced', 'old', 'new'],
  ])('is known as one by %s, and other content as a conflict', async (_what, before, after) => {
    const { nodeWith } = twoSecrets()
    const [old, now] = [nodeWith(before), nodeWith(after)]
    const { message } = await old.sendTo(alice, bob, draft('hello'))
    expect(await now.sendTo(alice, bob, draft('hello'))).toMatchObject({
      duplicate: true,
      message: { seq: message.seq },
    })
    await expect(now.sendTo(alice, bob, draft('other'))).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
    const member = await now.access.member(alice, message.conversationId)
    const clientMessageId = 'edit' as ClientMessageId
    const edit = (body: string) => ({ seq: message.seq, clientMessageId, alteration: { type: 'edit', body } as const })
    await old.change(member, edit('better'))
    expect(await now.change(member, edit('better'))).toMatchObject({ body: 'better' })
    await expect(now.change(member, edit('worse'))).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
    const group = { clientGroupId: 'tea' as ClientMessageId, title: 'Tea', memberIds: [bob] }
    const { conversation } = await old.groups.create(alice, group)
    expect((await now.groups.create(alice, group)).conversation.id).toBe(conversation.id)
    await expect(now.groups.create(alice, { ...group, title: 'Coffee' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
  })

  it('of a message that was edited or deleted since is accepted, also with another secret', async () => {
    const { nodeWith } = twoSecrets()
    const [old, now] = [nodeWith('old'), nodeWith('new')]
    const { message } = await old.sendTo(alice, bob, draft('hello'))
    const member = await now.access.member(alice, message.conversationId)
    const change = (clientMessageId: string, alteration: Change['alteration']) =>
      now.change(member, { seq: message.seq, clientMessageId: clientMessageId as ClientMessageId, alteration })
    await change('e', { type: 'edit', body: 'better' })
    expect(await now.sendTo(alice, bob, draft('hello'))).toMatchObject({ duplicate: true })
    await change('d', { type: 'delete' })
    expect(await now.sendTo(alice, bob, draft('hello'))).toMatchObject({ duplicate: true, message: { body: '' } })
  })
})
