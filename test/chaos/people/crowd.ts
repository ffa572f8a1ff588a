import { setMaxListeners } from 'node:events'
import { directConversationId } from '../../../src/domain/conversations/conversation-id.ts'
import type { UserId } from '../../../src/protocol/ids.ts'
import { signToken } from '../../kit/person.ts'
import { createRandom, type Random } from '../../simulation/random.ts'
import { answerOf, type History } from '../checks/history.ts'
import { runChanger } from './changer.ts'
import { type ChaosClient, createClient } from './client.ts'
import { type ChaosDevice, createDevice, type FollowStyle } from './device.ts'
import { createAttempt, foundingOf, runGroupActor } from './group-actor.ts'
import { createGroupHints } from './group-hints.ts'
import { createRuntimeDevice, type RuntimeChaosDevice } from './runtime-device.ts'
import { pause, runSender } from './sender.ts'
import { runTypist } from './typist.ts'
import { runWatcher } from './watcher.ts'

type CrowdOptions = {
  seed: number
  nodes: readonly string[]
  history: History
  nowMs: () => number
  users?: number
  chats?: number
}

export type Crowd = Awaited<ReturnType<typeof createCrowd>>

/** This share of the chats exists before the first fault; the others are made in the middle of it. */
const earlyShare = 0.6
const meanPauseMs = 350
/** The client runtime sends one message at a time in each chat. */
const runtimePauseMs = 450
/** This many users change groups, each at its own pace. The first of the groups they create exists before the first fault. */
const groupActors = 3
const groupPauseMs = 800
const changers = 4
const changePauseMs = 1600
const typists = 4
const typingPauseMs = 900
/** The guests are in the first group at first, are taken out of it and, much later, added again. No other user adds them anywhere. */
const guests = ['guest1', 'guest2'] as const

/** Makes the users, their chats and their devices. Each part draws from a random source of its own, so that none disturbs another. */
export async function createCrowd({ seed, nodes, history, nowMs, users: count = 8, chats = 12 }: CrowdOptions) {
  const random = createRandom(seed)
  const users = Array.from({ length: count }, (_, i) => `user${i + 1}`)
  const pairs = users.flatMap((one, i) => users.slice(i + 1).map((other) => [one, other] as const))
  const conversationIds: string[] = []
  while (conversationIds.length < chats) {
    const [pair] = pairs.splice(random.below(pairs.length), 1)
    if (!pair) break
    const id = directConversationId(pair[0] as UserId, pair[1] as UserId)
    history.members[id] = [...pair]
    conversationIds.push(id)
  }
  const of = (userId: string) => conversationIds.filter((id) => history.members[id]?.includes(userId))
  const established = new Set<string>()
  const hints = createGroupHints()
  const quiet = new AbortController()
  const over = new AbortController()
  // Every part waits with these signals, so they have many listeners.
  setMaxListeners(0, quiet.signal, over.signal)
  const devices: (ChaosDevice | RuntimeChaosDevice)[] = []
  const runtimes: RuntimeChaosDevice[] = []
  const askers = new Map<string, ChaosClient>()
  const running: Promise<void>[] = []
  const active = users.filter((userId) => of(userId).length > 0)
  const tokens = new Map<string, string>()
  for (const userId of [...active, ...guests]) tokens.set(userId, await signToken(userId))

  /** A random source that no other part draws from. */
  const chanceFor = (name: string) =>
    createRandom([...name].reduce((sum, c) => Math.imul(sum, 31) + c.charCodeAt(0), seed))

  const newClient = (userId: string, device: string) =>
    createClient({
      client: `${userId}/${device}`,
      userId,
      token: tokens.get(userId) ?? '',
      nodes,
      random: chanceFor(`${userId}/${device} asks`),
      history,
      nowMs,
    })

  const common = { established, hints, quiet: quiet.signal, over: over.signal }

  function addDevice(userId: string, name: string, style: FollowStyle, followsChanges = false): void {
    const conversations = of(userId)
    const device = createDevice({
      ...common,
      client: newClient(userId, name),
      style,
      followsChanges,
      conversationIds: conversations,
      foreignIds: conversationIds.filter((id) => !conversations.includes(id)),
      random: chanceFor(`${userId}/${name}`),
      history,
      nowMs,
    })
    devices.push(device)
  }

  /** A chat that begins while a device is away, and is acked by another of the same user, comes to it with a gap. */
  async function beginChatWith(userId: string, chance: Random): Promise<void> {
    const conversationId = of(userId).find((id) => !established.has(id))
    const partner = history.members[conversationId ?? '']?.find((each) => each !== userId)
    if (!conversationId || !partner || quiet.signal.aborted) return
    for (let n = chance.between(3, 6); n > 0; n -= 1) {
      const clientMessageId = `begun-${conversationIds.indexOf(conversationId)}-by-${partner}-${n}`
      const body = `${clientMessageId} hello`
      const call = await clientOf(partner).send({ conversationId, clientMessageId, body, via: 'http', to: 'person' })
      if (answerOf(call)) established.add(conversationId)
      await pause(chance.between(50, 300), quiet.signal)
    }
  }

  function addRuntimeDevice(userId: string, name: string): RuntimeChaosDevice {
    const client = `${userId}/${name}`
    const token = tokens.get(userId) ?? ''
    const chance = chanceFor(client)
    const about = {
      ...common,
      client,
      userId,
      token,
      nodes,
      meanPauseMs: runtimePauseMs,
      onAway: () => beginChatWith(userId, chance),
      history,
      nowMs,
      random: chance,
    }
    const device = createRuntimeDevice({ ...about, users: active, conversationIds: of(userId) })
    devices.push(device)
    runtimes.push(device)
    return device
  }

  // The users are of four kinds: one device, where the server decides where to begin; two devices; the client runtime alone; the client
  // runtime and another device.
  const writers: string[] = []
  const positionless = new Set<string>()
  for (const [index, userId] of active.entries()) {
    const kind = index % 4
    askers.set(userId, newClient(userId, 'desk'))
    if (kind !== 2) writers.push(userId)
    if (kind === 0) {
      positionless.add(userId)
      addDevice(userId, 'phone', 'plain')
    }
    if (kind === 1 || kind === 3) addDevice(userId, 'phone', 'resume', true)
    // At least one of these devices has a stream for each conversation.
    if (kind === 1) addDevice(userId, 'laptop', index === 1 ? 'apart' : random.pick(['resume', 'apart']))
    if (kind === 2 || kind === 3) addRuntimeDevice(userId, 'app')
  }

  for (const userId of guests) askers.set(userId, newClient(userId, 'desk'))

  async function write(userId: string): Promise<void> {
    const client = newClient(userId, 'writer')
    const chance = chanceFor(`${userId}/writer`)
    // Now and then it writes to a group that its user may not be in.
    const groupIds = () => (chance.chance(0.08) ? hints.ids() : hints.of(userId))
    await runSender({ ...common, client, conversationIds: of(userId), groupIds, nodes, meanPauseMs, random: chance })
    await client.close()
  }

  async function changeGroups(userId: string): Promise<void> {
    const client = newClient(userId, 'chair')
    const random = chanceFor(client.client)
    await runGroupActor({ ...common, client, users: active, random, nodes, founds: 1, meanPauseMs: groupPauseMs })
    await client.close()
  }

  async function changeMessages(userId: string): Promise<void> {
    const client = newClient(userId, 'editor')
    const random = chanceFor(client.client)
    await runChanger({ ...common, client, history, random, nodes, meanPauseMs: changePauseMs })
    await client.close()
  }

  async function type(userId: string): Promise<void> {
    const client = newClient(userId, 'keys')
    const random = chanceFor(client.client)
    await runTypist({ ...common, client, conversationIds: of(userId), random, meanPauseMs: typingPauseMs })
    await client.close()
  }

  async function watch(userId: string): Promise<void> {
    const client = newClient(userId, 'window')
    await runWatcher({ ...common, client })
    await client.close()
  }

  /** Takes the user out soon, for longer than streams take to notice, adds them again for a while, and so on. */
  async function expel(userId: string): Promise<void> {
    const [founder = ''] = active
    const [group = ''] = hints.ids()
    const chance = chanceFor(`${userId} goes`)
    const attempt = createAttempt({ ...common, client: clientOf(founder), random: chance, nodes })
    const nobody = { type: 'members' as const, add: [], remove: [], roles: [] }
    while (!quiet.signal.aborted) {
      await pause(chance.between(2000, 8000), quiet.signal)
      await attempt(group, { ...nobody, remove: [userId] })
      await pause(chance.between(45_000, 60_000), quiet.signal)
      if (!quiet.signal.aborted) await attempt(group, { ...nobody, add: [userId] })
    }
  }

  function clientOf(userId: string): ChaosClient {
    const client = askers.get(userId)
    if (!client) throw new Error(`${userId} talks to nobody`)
    return client
  }

  let writing: Promise<unknown> = Promise.resolve()

  /** All users leave with every device. Their clients can still make requests. */
  async function leave(): Promise<void> {
    quiet.abort()
    over.abort()
    await Promise.all([...running, writing])
  }

  return {
    conversationIds,
    devices,
    established,
    clientOf,
    /** All users look at every group. */
    async lookAtGroups(): Promise<void> {
      const looks = hints.ids().flatMap((id) => active.map((userId) => [id, userId] as const))
      await Promise.all(
        looks.map(async ([id, userId]) => hints.hear(await clientOf(userId).group(id, { type: 'look' }))),
      )
    },
    /** Adds a new and empty device for each user. */
    addNewcomers(): void {
      const before = devices.length
      // Some users have not followed changes yet. Their new device follows all of them, from the beginning on.
      for (const userId of active) addDevice(userId, 'new', 'resume', positionless.has(userId))
      running.push(...devices.slice(before).map((device) => device.run()))
    },
    /** Does the same with the client runtime, for users whose other devices name their own positions. */
    addRuntimeNewcomers(): void {
      for (const userId of active)
        if (!positionless.has(userId)) running.push(addRuntimeDevice(userId, 'new app').run())
    },
    /** Sends the first message of most chats. */
    async open(): Promise<void> {
      const early = conversationIds.slice(0, Math.ceil(conversationIds.length * earlyShare))
      for (const [i, conversationId] of early.entries()) {
        const [sender = ''] = history.members[conversationId] ?? []
        const client = clientOf(sender)
        const clientMessageId = `first-${i + 1}`
        const ask = {
          conversationId,
          clientMessageId,
          body: `${clientMessageId} hello`,
          via: 'http',
          to: 'person',
        } as const
        for (let tries = 0; tries < 20 && !established.has(conversationId); tries += 1) {
          const call = await client.send(ask)
          if (answerOf(call)) established.add(conversationId)
          else await pause(300, over.signal)
        }
      }
      const [founder = ''] = active
      const chance = chanceFor('first group')
      const attempt = createAttempt({ ...common, client: clientOf(founder), random: chance, nodes })
      await attempt('', foundingOf('first-group', founder, active, chance))
      // Several users may change it, at the same time.
      const chairs = active.slice(1, groupActors)
      const roles = chairs.map((userId) => ({ userId, role: 'ADMIN' as const }))
      for (const id of hints.ids()) {
        const add = [...chairs, ...guests].filter((userId) => !hints.member(userId, id))
        await attempt(id, { type: 'members', add, remove: [], roles })
      }
    },
    start(): void {
      running.push(...devices.map((device) => device.run()), ...guests.map(watch))
      writing = Promise.all([
        ...writers.map(write),
        ...runtimes.map((device) => device.write()),
        ...active.slice(0, groupActors).map(changeGroups),
        ...active.slice(-changers).map(changeMessages),
        ...active.slice(0, typists).map(type),
        ...guests.map(expel),
      ])
    },
    /** Begins no new sends. Resolves when everything sent is acknowledged. */
    async finishWriting(): Promise<void> {
      quiet.abort()
      await writing
    },
    /** Resolves when the applications have marked everything as read that they mean to, if nothing new comes. */
    async finishReading(): Promise<void> {
      await Promise.all(runtimes.map((device) => device.finishReading()))
    },
    leave,
    async end(): Promise<void> {
      await leave()
      await Promise.all([...askers.values()].map((client) => client.close()))
    },
  }
}
