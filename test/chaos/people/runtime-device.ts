import { setTimeout as sleep } from 'node:timers/promises'
import { type Group, leaveGroup, renameGroup, updateMembers } from '../../../packages/client/src/groups.ts'
import {
  type Chat,
  createChat,
  memoryStorage,
  type Network,
  type Storage,
  type Via,
} from '../../../packages/client/src/index.ts'
import type { Random } from '../../simulation/random.ts'
import { type GroupRequest, type History, isGroup, type MessageSeen, type Span } from '../checks/history.ts'
import { alterationOf, messagesKnownTo } from './changer.ts'
import { seen } from './client.ts'
import type { Wanted } from './device.ts'
import { requestFor } from './group-actor.ts'
import { groupSeen } from './group-calls.ts'
import type { GroupHints } from './group-hints.ts'
import { createRuntimeRecord } from './runtime-record.ts'
import { createWire, type Wire } from './runtime-wire.ts'
import { chooseTarget, pause, words } from './sender.ts'

// Plays a user with the client runtime. The application sends through its outbox, hears through its inbox, marks as read and looks at ticks.
// It is closed, or killed without a goodbye, and started again with what its storage has kept. It loses its network in between.

type RuntimeDeviceOptions = {
  client: string
  userId: string
  token: string
  nodes: readonly string[]
  conversationIds: readonly string[]
  users: readonly string[]
  hints: GroupHints
  established: Set<string>
  random: Random
  meanPauseMs: number
  /** Is called when it has gone away. What the callback does happens behind the back of the device. */
  onAway: () => Promise<void>
  history: History
  nowMs: () => number
  quiet: AbortSignal
  over: AbortSignal
}

export type RuntimeChaosDevice = ReturnType<typeof createRuntimeDevice>

type Life = { chat: Chat; wire: Wire; network: ReturnType<typeof createNetwork>; state: 'on' | 'closed' | 'killed' }

const allWays: readonly Via[] = ['websocket', 'sse', 'polling']
const closeWithinMs = 30_000
/** A write to an application's disk may take this long. */
const slowestWriteMs = 40
/** NOT_FOUND means that it was taken out of a group that it had named. */
const expectedErrors: readonly string[] = ['NETWORK', 'UNAVAILABLE', 'RATE_LIMITED', 'NOT_FOUND']

export function createRuntimeDevice(options: RuntimeDeviceOptions) {
  const { client, userId, token, nodes, conversationIds, users, hints, established, random, meanPauseMs } = options
  const { history, nowMs, quiet, over, onAway } = options
  const record = createRuntimeRecord({ client, userId, established, history, nowMs })
  const { device, runtime } = record
  /** This outlives every life. */
  const storage = memoryStorage()
  const own = new Map<string, number[]>(conversationIds.map((id) => [id, []]))
  const looked = new Set<string>()
  const reading = new Set<Promise<void>>()
  let life: Life | undefined
  let onNext: () => void = () => undefined
  let node = ''
  let nextId = ''
  let sent = 0
  let altered = 0

  const partnerIn = (conversationId: string): string =>
    history.members[conversationId]?.find((each) => each !== userId) ?? userId

  const recipientOf = (conversationId: string) => {
    if (isGroup(conversationId)) return { to: 'chat' as const, recipient: { conversationId } }
    const to = established.has(conversationId) ? random.pick(['person', 'chat'] as const) : 'person'
    return { to, recipient: to === 'chat' ? { conversationId } : { userId: partnerIn(conversationId) } }
  }

  /** Returns any node but the one just asked. */
  function url(): string {
    const others = nodes.filter((each) => each !== node)
    node = random.pick(others.length > 0 ? others : nodes)
    return `${node}/graphql`
  }

  function start(): Life {
    const ways = random.next()
    const transports: readonly Via[] = ways < 0.6 ? allWays : ways < 0.8 ? ['sse'] : ['polling']
    runtime.lives.push({ fromMs: nowMs(), transports: transports.join(', ') })
    const network = createNetwork()
    const onClosed = (code: number) => void runtime.closings.push({ atMs: nowMs(), code })
    const wire = createWire({ onClosed, onProblem: record.problem })
    const storageOfLife: Storage = { load: storage.load, write: (changes) => keep(changes, mine) }
    const chat = createChat({
      url,
      userId,
      token: () => token,
      storage: storageOfLife,
      webSocket: wire.webSocket,
      fetch: wire.fetch,
      transports,
      network,
      random: random.next,
      randomId: () => nextId,
      onStorageError: (error) => record.problem(`its storage failed: ${error}`),
    })
    const mine: Life = { chat, wire, network, state: 'on' }
    hear(mine)
    lookAtOutbox(mine)
    lookAtConnection(mine)
    looked.clear()
    for (const id of [...conversationIds, ...hints.of(userId)]) if (random.chance(0.8)) lookInto(mine, id)
    life = mine
    return mine
  }

  /** Writes all of it or nothing, as a disk does, and nothing any more from an application that was killed. */
  async function keep(changes: ReadonlyMap<string, unknown>, mine: Life): Promise<void> {
    if (mine.state === 'closed') record.problem(`wrote after it was closed: ${[...changes.keys()].join(', ')}`)
    const isBeginning = changes.get('device') === true
    if (changes.has('device') && !isBeginning) record.problem('took the server for another one, and started over')
    if (isBeginning) {
      const positions = [...changes].flatMap(([key, value]): [string, number][] =>
        key.startsWith('position:') ? [[key.slice('position:'.length), Number(value)]] : [],
      )
      record.begin(positions)
    }
    // Where it begins is noted at once: later it could not be found out.
    if (!record.isNew() && !isBeginning) await sleep(random.between(0, slowestWriteMs))
    if (mine.state !== 'killed') await storage.write(changes)
  }

  function hear(mine: Life): void {
    mine.chat.onMessage((message) => {
      if (mine.state === 'killed') return
      if (mine.state === 'closed') record.problem(`was told #${message.seq} after it was closed`)
      record.told(message)
      const { conversationId, seq, sender } = message
      if (sender.id === userId) own.get(conversationId)?.push(seq)
      else if (random.chance(0.3)) readLater(conversationId)
      onNext()
    })
  }

  /** Edits, deletes or reacts. The runtime repeats this until the application ends. */
  function alter(): void {
    const known = messagesKnownTo(userId, history, hints)
    if (life?.state !== 'on' || quiet.aborted || known.length === 0) return
    const { conversationId, seq, senderId } = random.pick(known)
    const { chat } = life
    altered += 1
    const clientMessageId = `${client.replace('/', '.').replace(' ', '-')}-change-${altered}`
    const isOwn = senderId === userId
    const alteration = alterationOf({ isOwn, inGroup: isGroup(conversationId), clientMessageId, random })
    let answer: MessageSeen | undefined
    const forget = chat.onMessageChanged((message) => {
      if (message.conversationId === conversationId && message.seq === seq) answer = seen(message)
    })
    nextId = clientMessageId
    const done =
      alteration.type === 'edit'
        ? chat.edit(conversationId, seq, alteration.body)
        : alteration.type === 'delete'
          ? chat.remove(conversationId, seq)
          : chat.react(conversationId, seq, alteration.emoji, alteration.on)
    const work = done.then(() => answer).finally(forget)
    void record.changes({ conversationId, seq, clientMessageId, alteration }, work)
  }

  /** Changes a group by what applications import as `@parley/client/groups`. */
  async function govern(): Promise<void> {
    const ids = hints.of(userId)
    if (life?.state !== 'on' || quiet.aborted || ids.length === 0) return
    const conversationId = random.pick(ids)
    altered += 1
    const title = `${client.replace('/', '.')}-title-${altered}`
    const request = requestFor({ userId, conversationId, users, hints, random, title })
    const work = carryOut(life.chat, conversationId, request)
    hints.hear(
      await record.changesGroup(
        { conversationId, request },
        work.then((group) => group && groupSeen(group)),
      ),
    )
  }

  async function carryOut(chat: Chat, conversationId: string, request: GroupRequest): Promise<Group | undefined> {
    if (request.type === 'rename') return renameGroup(chat, conversationId, request.title)
    // A user who had left already is not told.
    if (request.type === 'leave') await leaveGroup(chat, conversationId)
    if (request.type !== 'members') return undefined
    const { add, remove, roles } = request
    return updateMembers(chat, conversationId, { add, remove, roles })
  }

  function readLater(conversationId: string): void {
    const mine = read(conversationId).finally(() => reading.delete(mine))
    reading.add(mine)
  }

  async function read(conversationId: string): Promise<void> {
    await pause(random.between(10, 800), over)
    if (life?.state !== 'on' || over.aborted) return
    const seq = record.toldUpTo(conversationId)
    record.read(conversationId, seq)
    life.chat.markRead(conversationId, seq)
  }

  /** A message is said to be stored if it is `sent`, or no longer there. */
  function lookAtOutbox(mine: Life): void {
    const { chat } = mine
    const waiting = new Set<string>()
    chat.outbox.subscribe(() => {
      if (mine.state === 'killed') return
      const entries = new Map(chat.outbox.get().map((each) => [each.clientMessageId, each]))
      // A message that was refused just before a kill may have been kept all the same.
      for (const { clientMessageId, state } of entries.values())
        if (state === 'failed' && !record.pending.has(clientMessageId)) chat.discard(clientMessageId)
      for (const id of [...record.pending]) {
        const entry = entries.get(id)
        if (entry) waiting.add(id)
        if (entry?.state === 'failed') {
          const { code, message = '' } = entry.error ?? {}
          record.refused(id, { code, message, retryable: false })
          chat.discard(id)
        } else if (entry ? entry.state === 'sent' : waiting.has(id)) {
          record.stored(id)
        }
      }
    })
  }

  function lookAtConnection(mine: Life): void {
    const { connection } = mine.chat
    let poll: Span | undefined
    let lastError: unknown
    connection.subscribe(() => {
      const { state, via, error } = connection.get()
      if (poll && via !== 'polling') {
        poll.toMs = nowMs()
        poll = undefined
      }
      if (mine.state !== 'on') return
      if (error && error !== lastError) runtime.setbacks?.push({ atMs: nowMs(), code: error.code })
      lastError = error
      if (error && !expectedErrors.includes(error.code)) record.problem(`lost its way: ${error.code} ${error.message}`)
      if (state === 'syncing' && via) runtime.links.push({ atMs: nowMs(), via })
      if (poll || via !== 'polling') return
      poll = { fromMs: nowMs(), toMs: Number.POSITIVE_INFINITY }
      device.polls?.push(poll)
    })
  }

  /** Opens the conversation like a page that shows it. */
  function lookInto(mine: Life, conversationId: string): void {
    const { recipient } = recipientOf(conversationId)
    const ticks = mine.chat.ticks(recipient)
    looked.add(conversationId)
    mine.chat.messages(recipient).subscribe(() => undefined)
    // In a group, ticks follow from who is in it: they may fall when a member joins.
    if (isGroup(conversationId)) return
    ticks.subscribe(() => {
      if (mine.state !== 'on') return
      const { tickOf } = ticks.get()
      for (const seq of own.get(conversationId) ?? []) record.tick(conversationId, seq, tickOf(seq))
    })
  }

  async function write(): Promise<void> {
    while (!quiet.aborted) {
      await pause(random.between(meanPauseMs / 2, meanPauseMs * 1.5), quiet)
      const conversationId = chooseTarget(conversationIds, hints.of(userId), established, random)
      for (let count = random.chance(0.1) ? random.between(2, 5) : 1; count > 0; count -= 1) send(conversationId)
      if (random.chance(0.12)) alter()
      if (random.chance(0.05)) void govern()
    }
    // Waits until everything is said to be stored.
    while (record.pending.size > 0 && !over.aborted) await pause(50, over)
  }

  function send(conversationId: string): void {
    if (life?.state !== 'on' || quiet.aborted) return
    sent += 1
    const { to, recipient } = recipientOf(conversationId)
    const clientMessageId = `${client.replace('/', '.')}-${sent}`
    const body = `${clientMessageId} ${random.pick(words)}${'.'.repeat(random.between(0, 80))}`
    record.accepted({ conversationId, clientMessageId, body, via: 'runtime', to })
    nextId = clientMessageId
    life.chat.send(recipient, body)
    onNext()
  }

  async function comeAndGo(): Promise<void> {
    start()
    for (;;) {
      await pause(random.between(2000, 9000), quiet)
      // A kill does the most harm just after something was told or sent, and perhaps not kept yet.
      if (random.chance(0.5)) await somethingHappens()
      if (quiet.aborted || !life) return
      switch (random.pick(['close', 'close', 'kill', 'kill', 'offline', 'drop'] as const)) {
        case 'close':
          await away(() => close(life))
          start()
          break
        case 'kill':
          await away(() => kill(life))
          start()
          break
        case 'offline':
          life.network.turn(false)
          await away(async () => life?.wire.drop())
          life.network.turn(true)
          break
        case 'drop':
          life.wire.drop()
      }
    }
  }

  async function somethingHappens(): Promise<void> {
    const happened = new AbortController()
    onNext = () => happened.abort()
    await pause(2000, AbortSignal.any([happened.signal, quiet]))
    onNext = () => undefined
    if (random.chance(0.7)) await pause(random.between(2, 12), quiet)
  }

  async function away(leave: () => Promise<void>): Promise<void> {
    const stay = { fromMs: nowMs(), toMs: Number.POSITIVE_INFINITY }
    device.away.push(stay)
    await leave()
    await onAway()
    await pause(random.between(0, 4000), quiet)
    stay.toMs = nowMs()
  }

  async function close(mine = life): Promise<void> {
    if (mine?.state !== 'on') return
    life = undefined
    const timer = new AbortController()
    const late = sleep(closeWithinMs, 'late', { signal: timer.signal }).catch(() => undefined)
    if ((await Promise.race([mine.chat.close(), late])) === 'late')
      record.problem(`could not be closed within ${closeWithinMs} ms`)
    timer.abort()
    mine.state = 'closed'
    noteEnd('closed')
  }

  /** The application says no goodbye: neither to the server nor to the storage, nor to its own parts. */
  async function kill(mine = life): Promise<void> {
    if (!mine) return
    life = undefined
    mine.state = 'killed'
    mine.wire.cut()
    noteEnd('killed')
    record.killed(new Map(await storage.load()))
    // This only stops the timers that would go on in this process.
    void mine.chat.close()
  }

  function noteEnd(end: 'closed' | 'killed'): void {
    const last = runtime.lives.at(-1)
    if (last) Object.assign(last, { end, endedAtMs: nowMs() })
  }

  return {
    name: client,
    userId,
    /** Resolves when nothing new is sent, and everything is said to be stored. */
    write,
    /** Resolves when everything that it means to read of what it was told is marked as read. */
    async finishReading(): Promise<void> {
      await Promise.all(reading)
    },
    /** Returns what it was not told yet of what is wanted, from where it began on, or has left to send; undefined if there is nothing. */
    lacks({ messages }: Wanted): string | undefined {
      if (record.isNew()) return 'a beginning'
      const [left] = life?.chat.outbox.get() ?? []
      if (left) return `an end of ${left.clientMessageId}, ${left.state}`
      for (const [id, seqs] of messages) if (record.lacks(id, seqs)) return `something of ${id}`
      return life ? undefined : 'life'
    },
    async run(): Promise<void> {
      await comeAndGo()
      while (!over.aborted) await pause(60_000, over)
      for (const id of life ? looked : [])
        if (!isGroup(id) || hints.member(userId, id)) record.sees(id, life?.chat.messages({ conversationId: id }).get())
      await close()
    },
  }
}

function createNetwork(): Network & { turn(on: boolean): void } {
  const listeners = new Set<() => void>()
  let isOn = true
  return {
    online: () => isOn,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    turn(on) {
      isOn = on
      for (const listener of listeners) listener()
    },
  }
}
