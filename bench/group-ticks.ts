// npx tsx bench/group-ticks.ts [--members 1000] [--nodes 3] [--rounds 3] [--watch all|one|none] [--paceMs 1] [--profile <dir>]
//
// One message to a large group, every member acks it, and every member watches the ticks: of all their conversations, of this one, or not at all.
// Prints the CPU of all nodes in sum and how many events they sent. Times are those of this machine; events are counted.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ack, body, createGroup, sendMessage, ticksChanged } from './load/documents.ts'
import { ask, type GraphQLSocket, openGraphQLSocket } from './load/graphql-socket.ts'
import { accountOf, secret } from './load/tokens.ts'
import { buildAll } from './machine/build.ts'
import { type Child, startChild } from './machine/child.ts'
import { startStores } from './machine/stores.ts'

const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '1000' },
    nodes: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    watch: { type: 'string', default: 'all' },
    paceMs: { type: 'string', default: '1' },
    profile: { type: 'string' },
  },
})
const size = Number(values.members)
const quietMs = 1500
const core = 0

const built = await buildAll()
const stores = await startStores(built, 'quick-dynamodb')
const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-data-'))
const unlimited = { GROUPS_PER_HOUR: '0', GROUP_ADDITIONS_PER_HOUR: '0', RATE_LIMIT_PER_SECOND: '0' }
const environment = {
  NODE_NO_WARNINGS: '1',
  REDIS_URL: stores.redisUrl,
  DYNAMODB_ENDPOINT: stores.endpoint,
  CREATE_TABLES: 'true',
  AUTH_JWT_SECRET: secret,
  DATA_DIR: dataDir,
  ...unlimited,
}
const nodes: Child[] = []
for (let i = 0; i < Number(values.nodes); i += 1)
  nodes.push(await startChild({ script: built.server, probe: built.probe, core, environment }))

const portOf = (index: number): number => nodes[index % nodes.length]?.port ?? 0
const userOf = (index: number): string => `member-${index}`
const cpuMs = async (): Promise<number> =>
  (await Promise.all(nodes.map((node) => node.usage()))).reduce((sum, { cpuMs }) => sum + cpuMs, 0)

try {
  const author = await openGraphQLSocket(portOf(0), accountOf('author'))
  const memberIds = Array.from({ length: size - 1 }, (_, i) => userOf(i))
  const input = { clientGroupId: 'crowd', title: 'A crowd', memberIds }
  const made = (await ask(author, createGroup, { input })) as { createGroup: { conversation: { id: string } } }
  const conversationId = made.createGroup.conversation.id

  let [events, bytes, lastAtMs, errors] = [0, 0, 0, 0]
  const count = (payload: Buffer): void => {
    if (payload.includes('"errors"') || payload.includes('"type":"error"')) {
      if (errors === 0) console.log(String(payload))
      errors += 1
    }
    if (!payload.includes('"ticksChanged"')) return
    events += 1
    bytes += payload.length
    lastAtMs = performance.now()
  }
  const sockets: GraphQLSocket[] = []
  const variables = values.watch === 'one' ? { conversationId } : {}
  for (let i = 0; i < size - 1; i += 1) {
    const socket = await openGraphQLSocket(portOf(i), accountOf(userOf(i)))
    socket.onText = count
    sockets.push(socket)
  }
  author.onText = count
  if (values.watch !== 'none') {
    for (const socket of [author, ...sockets]) {
      socket.send(socket.operation('ticks', ticksChanged, variables))
      if (values.watch === 'one') await sleep(5)
    }
  }

  /** Resolves when nothing has come for a while. */
  async function quiet(): Promise<void> {
    lastAtMs = performance.now()
    while (performance.now() - lastAtMs < quietMs) await sleep(50)
  }
  await quiet()
  console.log(`${size} members on ${nodes.length} nodes watch ${values.watch}; ${events} events when they began`)

  let seq = 1
  for (let round = 0; round < Number(values.rounds); round += 1) {
    events = 0
    bytes = 0
    const before = await cpuMs()
    const beganAtMs = performance.now()
    seq += 1
    author.send(
      author.operation(`say-${seq}`, sendMessage, {
        input: { clientMessageId: `m-${seq}`, to: { conversationId }, body },
      }),
    )
    await sleep(300)
    const all = async () => {
      for (const [i, socket] of sockets.entries()) {
        socket.send(socket.operation(`ack-${seq}`, ack, { input: { conversationId, seq } }))
        if (i % 20 === 19) await sleep(20 * Number(values.paceMs))
      }
      await quiet()
    }
    const [node] = nodes
    if (values.profile !== undefined && node && round === 1)
      await node.profiled(`${values.profile}/group-ticks.cpuprofile`, all)
    else await all()
    const took = Math.round(lastAtMs - beganAtMs)
    const used = Math.round((await cpuMs()) - before)
    const { redis } = await stores.cpuMs()
    console.log(
      `round ${round + 1}: ${used} ms of CPU of all nodes, ${events} events, ${Math.round(bytes / 1024)} KiB, last after ${took} ms, ${errors} errors, Redis ${redis} ms so far`,
    )
  }
  for (const socket of [author, ...sockets]) socket.close()
} finally {
  await Promise.all(nodes.map((node) => node.stop()))
  await stores.stop()
  await Promise.all([built.remove(), rm(dataDir, { recursive: true, force: true })])
}
process.exit(0)
