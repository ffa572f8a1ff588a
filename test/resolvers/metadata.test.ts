import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ClientMessageId, UserId } from '../../src/protocol/ids.ts'
import { memoryApi } from '../kit/memory-api.ts'

const send = `mutation ($input: SendMessageInput!) {
  sendMessage(input: $input) { duplicate message { id seq conversationId body metadata } }
}`
const input = { clientMessageId: 'm-1', to: { userId: 'bob' }, body: 'hi' }

describe('metadata of a message', () => {
  it('is shown as it came, and to everybody in the chat', async () => {
    const api = memoryApi()
    const metadata = { z: 1, a: { list: [1.5, true, null, 'ä', '\u0000'], __proto: {} }, '': 'empty' }
    const { sendMessage } = await api.ask('alice', send, { input: { ...input, metadata } })
    expect(JSON.stringify(sendMessage.message.metadata)).toBe(JSON.stringify(metadata))
    const { node } = await api.ask('bob', 'query ($id: ID!) { node(id: $id) { ... on Message { metadata } } }', {
      id: sendMessage.message.id,
    })
    expect(JSON.stringify(node.metadata)).toBe(JSON.stringify(metadata))
  })

  it('may be written into the document, with variables in it', async () => {
    const api = memoryApi()
    const { sendMessage } = await api.ask(
      'alice',
      `mutation ($color: String) { sendMessage(input: {
        clientMessageId: "m-1", to: { userId: "bob" }, body: "hi", metadata: { color: $color, size: 2, nested: [{ yes: true }] }
      }) { message { metadata } } }`,
      { color: 'red' },
    )
    expect(sendMessage.message.metadata).toEqual({ color: 'red', size: 2, nested: [{ yes: true }] })
  })

  it('is null where there is none', async () => {
    const api = memoryApi()
    for (const [i, more] of [{}, { metadata: null }].entries()) {
      const { sendMessage } = await api.ask('alice', send, { input: { ...input, clientMessageId: `n-${i}`, ...more } })
      expect(sendMessage.message.metadata).toBeNull()
    }
  })

  it.each([
    ['a text', 'text'],
    ['a number', 1],
    ['a list', [{}]],
    ['more than 4 KB', { text: 'x'.repeat(4096) }],
    ['more than 4 KB as UTF-8', { text: 'ä'.repeat(2045) }],
    ['too deep', JSON.parse(`${'{"a":'.repeat(21)}1${'}'.repeat(21)}`)],
    ['too many keys', Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`k${i}`, 1]))],
  ])('is refused if it is %s', async (_what, metadata) => {
    const attempt = memoryApi().ask('alice', send, { input: { ...input, metadata } })
    await expect(attempt).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'metadata' })
  })

  it('may take 4 KB to the byte', async () => {
    const metadata = { text: 'ä'.repeat(2042) }
    expect(Buffer.byteLength(JSON.stringify(metadata))).toBe(4095)
    await memoryApi().ask('alice', send, { input: { ...input, metadata } })
  })

  it('counts for what is the same send', async () => {
    const api = memoryApi()
    const ask = (metadata: unknown) => api.ask('alice', send, { input: { ...input, metadata } })
    await ask({ a: 1, b: 2 })
    expect((await ask({ a: 1, b: 2 })).sendMessage).toMatchObject({
      duplicate: true,
      message: { metadata: { a: 1, b: 2 } },
    })
    for (const other of [{ a: 1 }, { b: 2, a: 1 }, {}, null]) {
      await expect(ask(other)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
    }
  })

  it('leaves the claim of a send without it as it always was', async () => {
    const api = memoryApi()
    await api.ask('alice', send, { input })
    await api.ask('alice', send, { input: { ...input, clientMessageId: 'm-2', replyToSeq: 1 } })
    const claimOf = (id: string) => api.ports.claims.get('alice' as UserId, id as ClientMessageId)
    expect((await claimOf('m-1'))?.payloadHash).toBe(hash('sha256', 'hi', 'base64url'))
    expect((await claimOf('m-2'))?.payloadHash).toBe(hash('sha256', 'hi\0reply 1', 'base64url'))
  })

  it('stays with an edit and goes with a deletion', async () => {
    const api = memoryApi()
    const { sendMessage } = await api.ask('alice', send, { input: { ...input, metadata: { a: 1 } } })
    const { conversationId, seq } = sendMessage.message
    const { editMessage } = await api.ask(
      'alice',
      'mutation ($input: EditMessageInput!) { editMessage(input: $input) { message { body metadata } } }',
      { input: { conversationId, seq, clientMessageId: 'e-1', body: 'ho' } },
    )
    expect(editMessage.message).toEqual({ body: 'ho', metadata: { a: 1 } })
    const { deleteMessage } = await api.ask(
      'alice',
      'mutation ($input: DeleteMessageInput!) { deleteMessage(input: $input) { message { metadata } } }',
      { input: { conversationId, seq, clientMessageId: 'd-1' } },
    )
    expect(deleteMessage.message.metadata).toBeNull()
  })
})
