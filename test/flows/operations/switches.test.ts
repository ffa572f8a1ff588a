import { describe, expect, it, onTestFinished } from 'vitest'
import { line } from '../../kit/person.ts'
import { startWorld } from '../../kit/world.ts'

// Each switch puts a library back in the place of a part of src/engine. test/kit/world.ts lets all flows run that way; this is a walk
// through one of each kind, so that every run of the suite knows that the switches work.

const switches = [
  { dynamodbClient: 'lean', redisCommands: 'plain', websocketProtocol: 'lean' },
  { dynamodbClient: 'sdk', redisCommands: 'lean', websocketProtocol: 'graphql-ws' },
  { dynamodbClient: 'sdk', redisCommands: 'plain', websocketProtocol: 'graphql-ws' },
] as const

const title =
  'with DYNAMODB_CLIENT=$dynamodbClient, REDIS_COMMANDS=$redisCommands and WEBSOCKET_PROTOCOL=$websocketProtocol'

describe.each(switches)(title, (config) => {
  it('a message is sent, heard, acknowledged, read, and found again', async () => {
    const world = await startWorld({ nodes: 2, config })
    onTestFinished(world.stop)
    const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
    const atBob = bob.follow()
    await world.online(bob)

    const sent = await alice.send(bob, 'hi', { clientMessageId: 'c-1' })
    const retried = await alice.send(bob, 'hi', { clientMessageId: 'c-1', node: world.url(1) })
    expect(retried).toEqual({ ...sent, duplicate: true })
    expect((await atBob.receives(1)).map(({ message }) => line(message))).toEqual(['1 hi'])

    const atAlice = alice.followTicks({ conversationId: sent.conversationId })
    await atAlice.receives(1)
    await bob.ack(sent.conversationId, 1)
    await bob.markRead(sent.conversationId, 1)
    expect((await atAlice.receives(3)).at(-1)).toMatchObject({ lastDeliveredSeq: 1, lastReadSeq: 1 })

    const { edges } = await bob.history(sent.conversationId)
    expect(edges.map(({ node }) => line(node))).toEqual(['1 hi'])
    expect((await bob.conversations()).edges.map(({ node }) => node.lastSeq)).toEqual([1])
    expect(await bob.send(alice, 'hi yourself', { via: 'ws' })).toMatchObject({ seq: 2, duplicate: false })
  })
})
