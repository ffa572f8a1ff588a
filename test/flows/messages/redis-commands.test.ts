import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import type { UserId } from '../../../src/protocol/ids.ts'
import { createRedisKeys, defaultKeyPrefix } from '../../../src/store/redis/keys.ts'
import { lastingTtlMs } from '../../../src/store/redis/sessions.ts'
import type { AddedEvent, Person, TicksEvent } from '../../kit/person.ts'
import { startRedisCluster } from '../../kit/services/redis-cluster.ts'
import type { StreamLog } from '../../kit/stream-log.ts'
import { startWorld, type World } from '../../kit/world.ts'

// What one message of a direct chat costs Redis, from the send on one node to its double tick, which the receiver acks on another. Commands that a
// script runs count like any others, as they do in `INFO commandstats`. MONITOR tells which they are, and of which keys.

const keys = createRedisKeys(defaultKeyPrefix)

/** A command that a node has sent, with those that its script has run. */
type Sent = { text: string; commands: number }

/** Collects what is sent about these people and their chat. The rest, such as leases and probes, comes by the clock and not with a message. */
async function watchCommands(redises: readonly Redis[], people: readonly Person[], chatId: string) {
  const ids = [chatId, ...people.map(({ userId }) => userId)]
  const sent: Sent[] = []
  const monitors = await Promise.all(redises.map((redis) => redis.monitor()))
  for (const monitor of monitors) {
    let last: Sent | undefined
    monitor.on('monitor', (_time: string, [name = '', ...args]: string[], source: string) => {
      const command = name.toLowerCase()
      if (source === 'lua') {
        if (!last) return
        last.commands += 1
        last.text += `${last.commands === 2 ? ':' : ''} ${command}`
        return
      }
      last = undefined
      const keys = command === 'evalsha' ? args.slice(2, 2 + Number(args[1])) : args.slice(0, 1)
      if (!keys.some((key) => ids.some((id) => key.includes(id)))) return
      last = { text: `${command} ${keys.map((key) => kindOf(key, people)).join(' ')}`, commands: 1 }
      sent.push(last)
    })
  }

  return {
    /** Resolves with what was sent since the last call. Redis tells of its commands in their order, so an own one shows that all were told. */
    async taken(): Promise<Sent[]> {
      const told = monitors.map((monitor, i) => {
        const mark = randomUUID()
        const isTold = new Promise<void>((resolve) =>
          monitor.on('monitor', (_time: string, args: string[]) => args[1] === mark && resolve()),
        )
        return redises[i]?.echo(mark).then(() => isTold)
      })
      await Promise.all(told)
      return sent.splice(0)
    },
    stop: () => monitors.map((monitor) => monitor.disconnect()),
  }
}

/** `parley_hint:{alice-1}:dm_…` is `hint:alice`, and `parley_seq:{dm_…}` is `seq`. */
function kindOf(key: string, people: readonly Person[]): string {
  const [, name, tag] = /^parley_([a-z-]+):\{(.*?)\}/.exec(key) ?? []
  const person = people.find(({ userId }) => userId === tag)
  return person ? `${name}:${person.userId.split('-')[0]}` : `${name}`
}

/** Does what the user's node does within 5 s of an attach. */
async function renewForLong(raw: Watched['raw'], { userId }: Person): Promise<void> {
  const key = keys.sessions(userId as UserId)
  const untilMs = Date.now() + lastingTtlMs
  for (const [field, session] of Object.entries(await raw.hgetall(key))) {
    if (!session.includes('|')) continue
    await raw.hset(key, field, session.replace(/\d+$/, `${untilMs}`))
    await raw.set(keys.lastingSession(userId as UserId), `${untilMs} ${field}`)
  }
}

const measured = 5

/** `raw` reaches every key, and `redises` are the servers. */
type Watched = { raw: Pick<Redis, 'hgetall' | 'hset' | 'set'>; redises: readonly Redis[] }

async function countPerMessage({ raw, redises }: Watched, world: World): Promise<{ total: number; table: string[] }> {
  const [alice, bob] = [await world.person('alice'), await world.person('bob', { node: 1 })]
  const chat = { conversationId: (await alice.send(bob, 'warm')).conversationId }
  const own: StreamLog<AddedEvent> = alice.follow()
  const received: StreamLog<AddedEvent> = bob.follow()
  const ticks: StreamLog<TicksEvent> = alice.followTicks()
  await Promise.all([world.online(alice), world.online(bob)])
  for (const person of [alice, bob]) await renewForLong(raw, person)

  async function exchange(body: string): Promise<void> {
    const { seq } = await alice.send(chat, body)
    await Promise.all([own, received].map((stream) => stream.sees(({ message }) => message.seq === seq)))
    await bob.ack(chat.conversationId, seq)
    await ticks.sees((event) => event.lastDeliveredSeq === seq)
  }
  // The first ones fill caches and forget pending rows.
  for (let i = 0; i < 3; i += 1) await exchange('warm')
  const watched = await watchCommands(redises, [alice, bob], chat.conversationId)
  const tables: Sent[][] = []
  for (let i = 0; i < measured; i += 1) {
    await exchange('measured')
    tables.push(await watched.taken())
  }
  watched.stop()
  await Promise.all([own, received, ticks].map((stream) => stream.stop()))
  // A renewal or a resync may come with one message, and only adds.
  const [least = []] = tables.sort((one, other) => totalOf(one) - totalOf(other))
  return { total: totalOf(least), table: least.map(({ text, commands }) => `${commands}  ${text}`).sort() }
}

const totalOf = (sent: readonly Sent[]): number => sent.reduce((total, { commands }) => total + commands, 0)

it('a message on one Redis, from its send to its double tick', async () => {
  const world = await startWorld({ nodes: 2 })
  const { raw } = world.redis
  expect(await countPerMessage({ raw, redises: [raw] }, world)).toMatchInlineSnapshot(`
    {
      "table": [
        "1  hmget hint:alice",
        "1  publish user:alice",
        "4  evalsha seq block: mget info set",
        "5  evalsha attached:alice sessions:alice complete:alice hint:alice attached:bob sessions:bob complete:bob hint:bob seq active: mget publish publish set",
        "5  evalsha hint:bob ticks:alice: set hmget info hset",
      ],
      "total": 16,
    }
  `)
  await world.stop()
})

it('the same on a cluster', async () => {
  const cluster = await startRedisCluster()
  const world = await startWorld({ nodes: 2, config: { redis: { urls: cluster.url.split(',') } } })
  const redises = (await cluster.masters()).map((master) => master.raw)
  expect(await countPerMessage({ raw: cluster.raw, redises }, world)).toMatchInlineSnapshot(`
    {
      "table": [
        "1  hmget hint:alice",
        "3  evalsha attached:alice sessions:alice complete:alice hint:alice: mget spublish",
        "3  evalsha attached:bob sessions:bob complete:bob hint:bob: mget spublish",
        "3  evalsha seq active: mget set",
        "3  evalsha ticks:alice: set spublish",
        "4  evalsha hint:bob: hmget info hset",
        "4  evalsha seq block: mget info set",
      ],
      "total": 21,
    }
  `)
  await world.stop()
  await cluster.stop()
})
