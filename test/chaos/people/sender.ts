import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../simulation/random.ts'
import { answerOf, isGroup, refusalOf, type SendAsk, type SendCall, type Via } from '../checks/history.ts'
import type { ChaosClient } from './client.ts'

// Plays a sender, who repeats every send with the same clientMessageId until it is acknowledged.

type SenderOptions = {
  client: ChaosClient
  /** The user is in these conversations. */
  conversationIds: readonly string[]
  /** The user may be in these groups. */
  groupIds: () => readonly string[]
  /** These conversations are known to exist. */
  established: Set<string>
  random: Random
  nodes: readonly string[]
  /** When this is aborted, nothing new is begun, and sends that wait for their time do not wait any longer. */
  quiet: AbortSignal
  /** When this is aborted, even sends that were never acknowledged are given up. */
  over: AbortSignal
  meanPauseMs: number
}

const vias: readonly Via[] = ['ws', 'http', 'rest']

/** Resolves when everything it sent is acknowledged, or given up. */
export async function runSender(options: SenderOptions): Promise<void> {
  const { client, conversationIds, groupIds, established, random, nodes, quiet, over, meanPauseMs } = options
  const late: Promise<void>[] = []
  let sent = 0

  while (!quiet.aborted) {
    await pause(random.between(meanPauseMs / 2, meanPauseMs * 1.5), quiet)
    if (quiet.aborted) break
    sent += 1
    const conversationId = chooseTarget(conversationIds, groupIds(), established, random)
    const clientMessageId = `${client.client.replace('/', '.')}-${sent}`
    const body = `${clientMessageId} ${random.pick(words)}${'.'.repeat(random.between(0, 80))}`
    if (await acknowledged(() => ask(conversationId, clientMessageId, body))) {
      established.add(conversationId)
      if (random.chance(0.06)) late.push(repeatLater(conversationId, clientMessageId, body))
      if (random.chance(0.02))
        await client.send({ ...ask(conversationId, clientMessageId, `not ${body}`), forged: true })
    }
  }
  await Promise.all(late)

  function ask(conversationId: string, clientMessageId: string, body: string): SendAsk & { via: Via } {
    if (isGroup(conversationId)) return { conversationId, clientMessageId, body, via: random.pick(vias), to: 'chat' }
    const to = established.has(conversationId) ? random.pick(['person', 'chat'] as const) : 'person'
    return { conversationId, clientMessageId, body, via: random.pick(vias), to }
  }

  async function acknowledged(next: () => SendAsk & { via: Via }): Promise<boolean> {
    while (!over.aborted) {
      const calls = random.chance(0.1) ? await atTwoNodes(next) : [await client.send(next())]
      if (calls.some(answerOf)) return true
      // The send was refused for good: the checker judges why. There is no point in repeating it.
      if (calls.some((call) => refusalOf(call)?.retryable === false)) return false
      await pause(random.between(50, 600), over)
    }
    return false
  }

  function atTwoNodes(next: () => SendAsk & { via: Via }): Promise<SendCall[]> {
    const first = random.below(nodes.length)
    const chosen = [nodes[first], nodes[(first + 1) % nodes.length]]
    return Promise.all(chosen.map((node) => client.send(next(), node)))
  }

  async function repeatLater(conversationId: string, clientMessageId: string, body: string): Promise<void> {
    await pause(random.between(3000, 20_000), quiet)
    await acknowledged(() => ask(conversationId, clientMessageId, body))
  }
}

/** One in three goes to a group, if there is one. */
export function chooseTarget(
  conversationIds: readonly string[],
  groupIds: readonly string[],
  established: Set<string>,
  random: Random,
): string {
  const isForGroup = random.chance(0.35)
  if (groupIds.length > 0 && isForGroup) return random.pick(groupIds)
  return chooseChat(conversationIds, established, random)
}

/** Mostly it chooses a chat that exists. Now and then it begins another, at any time of the run. */
function chooseChat(conversationIds: readonly string[], established: Set<string>, random: Random): string {
  const existing = conversationIds.filter((id) => established.has(id))
  return random.pick(existing.length > 0 && !random.chance(0.03) ? existing : conversationIds)
}

/** Waits. Ends early when the signal comes. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined)

export const words = [
  'hello',
  'grüß dich',
  'こんにちは',
  '👩‍👩‍👧 how are you?',
  'null',
  '{"json": true}',
  'a\nb',
  'see you at eight',
  '0',
]
