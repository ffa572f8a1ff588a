import { type Bench, interleave, type Scenario, type Subject } from '../bench.ts'
import { conversations, messages } from '../load/documents.ts'
import { type Account, ask, openGraphQLSocket, operationFrame } from '../load/graphql-socket.ts'
import { hearAll } from '../load/hear-all.ts'
import { completedOf, overSockets } from '../load/loops.ts'
import { openPair } from '../load/pairs.ts'
import { createSeeds, type Seeds } from '../load/seed.ts'
import { accountOf } from '../load/tokens.ts'
import { createSheet, quantile, type Sheet } from '../sheet.ts'

// Measures whether what is stored makes anything slower, by chats of a thousand to a million messages, and a list of 200 chats.

type Chat = { name: string; stored: number; conversationId: string; alice: Account; bob: Account }

export const history: Scenario = async (bench) => {
  const sheet = createSheet()
  const subject = await bench.subject('parley')
  const seeds = createSeeds(bench.stores)
  try {
    const [chats, listOwners] = await bench.stores.unmeasured(() => seedAll(bench, seeds))
    await sendIntoEach(bench, sheet, subject, chats)
    await readPages(bench, sheet, subject, chats.slice(Math.min(2, chats.length - 1)))
    await catchUp(bench, sheet, subject, chats)
    for (const each of listOwners) await listChats(bench, sheet, subject, each)
  } finally {
    seeds.close()
  }
  return sheet.measured()
}

async function seedAll(bench: Bench, seeds: Seeds): Promise<[Chat[], { owner: Account; chats: number }[]]> {
  const sizes = bench.choose({
    quick: [100, 1000],
    default: [1000, 10_000, 100_000],
    full: [1000, 10_000, 100_000, 1_000_000],
  })
  const chats: Chat[] = []
  for (const stored of sizes) {
    const name = `stored-${stored}-${process.pid}`
    const [alice, bob] = [accountOf(`a-${name}`), accountOf(`b-${name}`)]
    chats.push({ name, stored, conversationId: await seeds.chat(alice.userId, bob.userId, stored), alice, bob })
  }
  const lists = bench.choose({ quick: [5, 20], default: [20, 200], full: [20, 200] })
  const owners = lists.map((count) => ({ owner: accountOf(`list-${count}-${process.pid}`), chats: count }))
  for (const { owner, chats: count } of owners) {
    await Promise.all(Array.from({ length: count }, (_, i) => seeds.chat(owner.userId, `${owner.userId}-${i}`, 2)))
  }
  return [chats, owners]
}

/** Sends the same message into chats of all sizes, to where it is stored, delivered and ticked. */
async function sendIntoEach(bench: Bench, sheet: Sheet, subject: Subject, chats: readonly Chat[]): Promise<void> {
  // The rounds are many and short, because what is looked for is less than what the machine does in between.
  const [sends, warmSends] = [bench.choose({ quick: 20, default: 20, full: 100 }), 20]
  const ways = []
  for (const { name, stored } of chats) {
    const events = { delivered: () => undefined, ticked: (): void => undefined }
    const pair = await openPair(subject, name, { delivered: () => undefined, ticked: () => events.ticked() })
    const send = () =>
      new Promise<void>((resolve) => {
        events.ticked = resolve
        pair.send()
      })
    for (let i = 0; i < warmSends; i += 1) await send()
    ways.push({ who: `${stored.toLocaleString('en')} stored`, pair, send })
  }
  const [smallest] = ways
  await interleave(bench.choose({ quick: 1, default: 17, full: 51 }), ways, async ({ who, send }) => {
    await bench.stores.calls()
    const { serverMs, wallMs } = await bench.meter(subject, async () => {
      for (let i = 0; i < sends; i += 1) await send()
      return sends
    })
    const units = Object.values(await bench.stores.calls()).reduce((sum, each) => sum + each.units, 0)
    sheet.add(sendIntoStored, who, 'ms', serverMs / sends, smallest?.who)
    sheet.add('history: time of a send and its tick', who, 'ms', wallMs / sends, smallest?.who)
    sheet.add('history: DynamoDB capacity per send and its tick', who, 'units', units / sends, smallest?.who)
  })
  for (const { pair } of ways) pair.close()
}

export const sendIntoStored = 'history: server CPU per send and its tick'
export const pageCpu = 'history: server CPU per page of 50'

/** Reads the newest page of the first chat and the oldest page of each, by their cursors. */
async function readPages(bench: Bench, sheet: Sheet, subject: Subject, chats: readonly Chat[]): Promise<void> {
  const size = 50
  const ways = []
  for (const { alice, conversationId, stored } of chats) {
    const socket = await openGraphQLSocket(subject.port, alice)
    const way = (who: string, variables: object) => ({
      who,
      socket,
      frames: [operationFrame('0', messages, { conversationId, first: size, ...variables })],
    })
    // The oldest page is asked for after the last message of the page before it.
    const asked = (await ask(socket, messages, { conversationId, last: size + 1 })) as {
      messages: { edges: { cursor: string }[] }
    }
    if (ways.length === 0) ways.push(way('page 1', {}))
    ways.push(way(`page ${Math.ceil(stored / size).toLocaleString('en')}`, { after: asked.messages.edges[0]?.cursor }))
  }
  const round = { ms: bench.choose({ quick: 200, default: 100, full: 400 }), count: 40 }
  const warm = { ms: 300, count: 40 }
  for (const { socket, frames } of ways) await overSockets([socket], frames, completedOf, warm)
  await interleave(bench.choose({ quick: 1, default: 21, full: 51 }), ways, async ({ who, socket, frames }) => {
    const ask = () => overSockets([socket], frames, completedOf, round)
    const { count, serverMs, wallMs } = await bench.meter(subject, ask)
    sheet.add(pageCpu, who, 'ms', serverMs / count, 'page 1')
    sheet.add('history: time of a page of 50', who, 'ms', wallMs / count, 'page 1')
  })
  for (const { socket } of ways) socket.close()
}

/** Measures how a device that has nothing gets all messages of a chat. */
async function catchUp(bench: Bench, sheet: Sheet, subject: Subject, chats: readonly Chat[]): Promise<void> {
  const sizes = chats.filter(({ stored }) => stored <= 10_000)
  const against = sizes[0] && `${sizes[0].stored.toLocaleString('en')} missed`
  await interleave(bench.choose({ quick: 1, default: 2, full: 5 }), sizes, async ({ bob, conversationId, stored }) => {
    const socket = await openGraphQLSocket(subject.port, bob)
    const { serverMs, wallMs } = await bench.meter(subject, () => hearAll(socket, conversationId, stored))
    socket.close()
    const who = `${stored.toLocaleString('en')} missed`
    sheet.add('catch-up: server CPU per message', who, 'µs', (1000 * serverMs) / stored, against)
    sheet.add('catch-up: messages per second', who, '/s', (1000 * stored) / wallMs, against)
  })
}

async function listChats(
  bench: Bench,
  sheet: Sheet,
  subject: Subject,
  { owner, chats }: { owner: Account; chats: number },
): Promise<void> {
  const socket = await openGraphQLSocket(subject.port, owner)
  type Page = { conversations: { edges: unknown[]; pageInfo: { hasNextPage: boolean; endCursor: string } } }
  const list = async (): Promise<number> => {
    let [listed, after]: [number, string | undefined] = [0, undefined]
    for (;;) {
      const page: Page = (await ask(socket, conversations, { first: Math.min(chats, 100), after })) as Page
      listed += page.conversations.edges.length
      if (!page.conversations.pageInfo.hasNextPage) return listed
      after = page.conversations.pageInfo.endCursor
    }
  }
  if ((await list()) !== chats) throw new Error('The list is not whole.')
  const tookMs: number[] = []
  const lists = bench.choose({ quick: 2, default: 6, full: 30 })
  const { serverMs } = await bench.meter(subject, async () => {
    for (let i = 0; i < lists; i += 1) {
      const beganAtMs = performance.now()
      await list()
      tookMs.push(performance.now() - beganAtMs)
    }
    return lists
  })
  const who = `${chats} chats`
  sheet.add('chat list: server CPU per chat', who, 'ms', serverMs / lists / chats, '20 chats')
  sheet.add('chat list: time of the whole list', who, 'ms', quantile(tookMs, 0.5), '20 chats')
  socket.close()
}
