import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { DynamoOptions } from '../../../src/engine/dynamodb/client.ts'
import {
  createCredentialsCache,
  type ExpiringCredentials,
  findEndpointAndCredentials,
} from '../../../src/engine/dynamodb/endpoint-and-credentials.ts'
import { createSign } from '../../../src/engine/dynamodb/signature.ts'
import { createDynamoStoreClient } from '../../../src/store/dynamo/client.ts'
import { dynamoBackends } from '../../kit/services/dynamo-backends.ts'
import { connectDynamo } from '../../kit/services/dynamodb.ts'

// What the lean client does by itself. What both clients do alike is in client.test.ts.

const undo: (() => unknown)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const each of undo.splice(0).reverse()) await each()
})

describe('an answer that does not match its checksum', () => {
  const content = JSON.stringify({ Item: { name: { S: 'Zoë' } } })
  const good = (response: ServerResponse) => response.setHeader('x-amz-crc32', crc32(content)).end(content)
  const bad = (response: ServerResponse) => response.setHeader('x-amz-crc32', crc32(content) - 1).end(content)

  test('is asked for again', async () => {
    const { endpoint, asked } = await answering((_request, response) => (asked.length === 1 ? bad : good)(response))
    expect(await get(connect(endpoint))).toEqual({ name: 'Zoë' })
    expect(asked).toHaveLength(2)
  })

  test('twice is UNAVAILABLE', async () => {
    const { endpoint, asked } = await answering((_request, response) => bad(response))
    await expect(get(connect(endpoint))).rejects.toEqual(unavailable)
    expect(asked).toHaveLength(2)
  })

  test.each(dynamoBackends)('does not come from $name', async ({ endpointOf }) => {
    const endpoint = await endpointOf()
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.ListTables' }
    const sign = createSign({ url: new URL(endpoint), region: 'us-east-1' })
    const signed = sign({ target: headers['x-amz-target'], body: Buffer.from('{}'), credentials, atMs: Date.now() })
    const answer = await fetch(endpoint, { method: 'POST', headers: { ...headers, ...signed }, body: '{}' })
    expect(Number(answer.headers.get('x-amz-crc32'))).toBe(crc32(Buffer.from(await answer.arrayBuffer())))
  })
})

describe('a server that closes its kept connections', () => {
  const calls = 120

  /** Answers the first request of each connection. */
  async function closingAfterOne() {
    const used = new WeakSet<Socket>()
    const opened = new Set<Socket>()
    const { endpoint, asked } = await answering(({ socket }, response) => {
      opened.add(socket)
      if (used.has(socket)) return socket.destroy()
      used.add(socket)
      return gate.then(() => response.end('{"Item":{"name":{"S":"Zoë"}}}'))
    })
    let open: () => void = () => undefined
    let gate = Promise.resolve()
    return {
      client: connect(endpoint),
      asked,
      opened,
      /** No answer before so many are asked, so that each has a connection of its own. */
      async together(count: number, run: () => Promise<unknown>[]): Promise<unknown[]> {
        gate = new Promise((resolve) => {
          open = resolve
        })
        const answers = run()
        await expect.poll(() => asked.length).toBe(count)
        open()
        return Promise.all(answers)
      },
    }
  }

  test('all at once, under many calls, makes none of them UNAVAILABLE', async () => {
    const { client, asked, opened, together } = await closingAfterOne()
    const getAll = () => Array.from({ length: calls }, () => get(client))
    await together(calls, getAll)
    expect(opened.size).toBe(calls)
    const answers = await together(3 * calls, getAll)
    expect(answers).toEqual(Array.from({ length: calls }, () => ({ name: 'Zoë' })))
    expect(asked).toHaveLength(3 * calls)
  })

  test('and every other one too is asked as often as any server that fails', async () => {
    let isClosing = false
    const { endpoint, asked } = await answering(({ socket }, response) =>
      isClosing ? socket.destroy() : response.end('{"Item":{"name":{"S":"Zoë"}}}'),
    )
    const client = connect(endpoint)
    await get(client)
    isClosing = true
    await expect(get(client)).rejects.toEqual(unavailable)
    // Over the kept connection, over a fresh one, and once more as the retry budget allows.
    expect(asked).toHaveLength(1 + 3)
  })
})

describe('throttling', () => {
  const throttled = { __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException' }

  test('that asks for more patience than a call has is UNAVAILABLE at once', async () => {
    const { endpoint, asked } = await answering((_request, response) =>
      response.writeHead(400, { 'retry-after': '60' }).end(JSON.stringify(throttled)),
    )
    const error = await get(connect(endpoint, { requestTimeoutMs: 2000 })).catch((thrown: Error) => thrown)
    expect(error).toEqual(unavailable)
    expect(error).toHaveProperty('cause.name', 'ThrottlingException')
    expect(asked).toHaveLength(1)
  })
})

describe('closing', () => {
  test('lets a call that is under way have its answer, and takes no other', async () => {
    const arrivals = new EventEmitter()
    const { endpoint } = await answering((_request, response) => arrivals.emit('arrival', response))
    const client = connect(endpoint)
    const underWay = get(client)
    const [response] = (await once(arrivals, 'arrival')) as [ServerResponse]
    const closed = client.close()
    await expect(get(client)).rejects.toEqual(unavailable)
    response.end(JSON.stringify({ Item: { name: { S: 'Zoë' } } }))
    expect(await underWay).toEqual({ name: 'Zoë' })
    await closed
    await client.close()
  })
})

describe('on AWS', () => {
  test('the endpoint is that of the region, and credentials are those of the environment', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'id')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
    vi.stubEnv('AWS_SESSION_TOKEN', 'token')
    const { endpoint, credentials } = await findEndpointAndCredentials('eu-west-1')
    expect(endpoint).toBe('https://dynamodb.eu-west-1.amazonaws.com/')
    expect(await credentials()).toMatchObject({ accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' })
    expect(await findEndpointAndCredentials('cn-north-1')).toHaveProperty(
      'endpoint',
      'https://dynamodb.cn-north-1.amazonaws.com.cn/',
    )
  })

  test('requests are signed with those credentials', async () => {
    const { endpoint, asked } = await answering((_request, response) => response.end('{}'))
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint)
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'id')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
    vi.stubEnv('AWS_SESSION_TOKEN', 'token')
    const atMs = Date.UTC(2026, 0, 2, 3, 4, 5)
    const client = createDynamoStoreClient({
      region: 'eu-west-1',
      requestTimeoutMs: 5000,
      random: () => 0,
      now: () => atMs,
    })
    undo.push(client.close)
    expect(await get(client)).toBeUndefined()
    const [{ headers, body } = { headers: {}, body: '' }] = asked
    const sign = createSign({ url: new URL(endpoint), region: 'eu-west-1' })
    const given = { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' }
    expect(headers).toMatchObject(
      sign({ target: 'DynamoDB_20120810.GetItem', body: Buffer.from(body), credentials: given, atMs }),
    )
  })

  test('without credentials every call is UNAVAILABLE, and is not sent', async () => {
    const { endpoint, asked } = await answering((_request, response) => response.end('{}'))
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint)
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) vi.stubEnv(name, undefined)
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere')
    vi.stubEnv('AWS_CONFIG_FILE', '/nowhere')
    const client = createDynamoStoreClient({
      region: 'eu-west-1',
      requestTimeoutMs: 5000,
      random: () => 0,
      now: Date.now,
    })
    undo.push(client.close)
    await expect(get(client)).rejects.toEqual(unavailable)
    expect(asked).toEqual([])
  })
})

describe('credentials', () => {
  const minuteMs = 60_000
  const until = (name: string, ms?: number): ExpiringCredentials => ({
    accessKeyId: name,
    secretAccessKey: 'secret',
    ...(ms !== undefined && { expiration: new Date(ms) }),
  })

  test('are asked for once by however many, and kept where they do not expire', async () => {
    let asked = 0
    const provide = async () => {
      asked += 1
      return until(`${asked}`)
    }
    const identity = createCredentialsCache(provide, () => 0)
    expect(await Promise.all([identity(), identity()])).toEqual([until('1'), until('1')])
    expect(identity()).toEqual(until('1'))
  })

  test('are renewed in the background five minutes before they expire, and waited for once they have', async () => {
    let nowMs = 0
    const provided = [until('first', 60 * minuteMs), until('second', 120 * minuteMs), until('third', 180 * minuteMs)]
    const identity = createCredentialsCache(
      async () => provided.shift() ?? Promise.reject(new Error('No more.')),
      () => nowMs,
    )
    await identity()
    nowMs = 54 * minuteMs
    expect(identity()).toHaveProperty('accessKeyId', 'first')
    nowMs = 56 * minuteMs
    expect(identity()).toHaveProperty('accessKeyId', 'first')
    await vi.waitFor(() => expect(identity()).toHaveProperty('accessKeyId', 'second'), 20_000)
    nowMs = 121 * minuteMs
    const waited = identity()
    expect(waited).toBeInstanceOf(Promise)
    expect(await waited).toHaveProperty('accessKeyId', 'third')
  })

  test('that cannot be renewed are used to their end, and asked for again', async () => {
    let nowMs = 0
    let trouble = false
    const identity = createCredentialsCache(
      async () => (trouble ? Promise.reject(new Error('No.')) : until('first', nowMs + 60 * minuteMs)),
      () => nowMs,
    )
    await identity()
    trouble = true
    nowMs = 58 * minuteMs
    expect(identity()).toHaveProperty('accessKeyId', 'first')
    nowMs = 61 * minuteMs
    await expect(identity()).rejects.toThrow('No.')
    trouble = false
    expect(await identity()).toHaveProperty('accessKeyId', 'first')
  })
})

const unavailable = expect.objectContaining({ name: 'ChatError', code: 'UNAVAILABLE' })
const credentials = { accessKeyId: 'none', secretAccessKey: 'none' }

type Client = ReturnType<typeof createDynamoStoreClient>

const get = async (client: Client) =>
  (await client.call('GetItem', 'users', { TableName: 'users', Key: { user_id: 'zoe' } })).Item

function connect(endpoint: string, options: Partial<DynamoOptions> = {}): Client {
  const { client } = connectDynamo(endpoint, { random: () => 0, ...options })
  undo.push(client.close)
  return client
}

async function answering(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const asked: { headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer(async (request, response) => {
    asked.push({ headers: request.headers, body: await text(request) })
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
