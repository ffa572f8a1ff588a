import type { Alteration } from '../../../src/ports/log.ts'
import type { Random } from '../../simulation/random.ts'
import { answerOf, type ChangeAsk, type History, isGroup, type MessageSeen, refusalOf } from '../checks/history.ts'
import type { ChaosClient } from './client.ts'
import type { GroupHints } from './group-hints.ts'
import { pause, words } from './sender.ts'

// Plays a user who edits and deletes their own messages, deletes those of others in a group, and reacts to all they know of. The user repeats
// each change until it is answered or refused for good, now and then makes two changes of the same message at once, and repeats some of them
// much later.

type ChangerOptions = {
  client: ChaosClient
  hints: GroupHints
  history: History
  random: Random
  nodes: readonly string[]
  quiet: AbortSignal
  over: AbortSignal
  meanPauseMs: number
}

/** This many of the last calls are searched for something to change. */
const recently = 600

export async function runChanger({ client, hints, history, random, nodes, quiet, over, meanPauseMs }: ChangerOptions) {
  const { userId } = client
  const name = client.client.replace('/', '.')
  const late: Promise<void>[] = []
  let made = 0
  let last: MessageSeen | undefined

  while (!quiet.aborted) {
    await pause(random.between(meanPauseMs / 2, meanPauseMs * 1.5), quiet)
    const known = messagesKnownTo(userId, history, hints)
    if (quiet.aborted || known.length === 0) continue
    last = last && random.chance(0.4) ? last : random.pick(known)
    const request = requestFor(last)
    await Promise.all([insist(request), random.chance(0.25) ? insist(requestFor(last)) : undefined])
    if (random.chance(0.08)) late.push(repeatLater(request))
  }
  await Promise.all(late)

  async function insist(ask: ChangeAsk): Promise<void> {
    while (!over.aborted) {
      const first = random.below(nodes.length)
      const chosen = [nodes[first], ...(random.chance(0.1) ? [nodes[(first + 1) % nodes.length]] : [])]
      const calls = await Promise.all(chosen.map((node) => client.change(ask, node)))
      if (calls.some((call) => answerOf(call) || refusalOf(call)?.retryable === false)) return
      await pause(random.between(50, 600), over)
    }
  }

  async function repeatLater(ask: ChangeAsk): Promise<void> {
    await pause(random.between(2000, 15_000), quiet)
    await insist(ask)
  }

  function requestFor({ conversationId, seq, senderId }: MessageSeen): ChangeAsk {
    made += 1
    const clientMessageId = `${name}-${made}`
    const alteration = alterationOf({
      isOwn: senderId === userId,
      inGroup: isGroup(conversationId),
      clientMessageId,
      random,
    })
    return { conversationId, seq, clientMessageId, alteration }
  }
}

type AlterationContext = { isOwn: boolean; inGroup: boolean; clientMessageId: string; random: Random }

export function alterationOf({ isOwn, inGroup, clientMessageId, random }: AlterationContext): Alteration {
  // Only owners and admins of the group may do this; others are refused.
  if (!isOwn && inGroup && random.chance(0.2)) return { type: 'delete' }
  if (!isOwn || random.chance(0.3))
    return { type: 'reaction', emoji: random.pick(['👍', '👎']), on: random.chance(0.65) }
  return random.chance(0.25) ? { type: 'delete' } : { type: 'edit', body: `${clientMessageId} ${random.pick(words)}` }
}

/** Returns messages that were acknowledged not long ago, in conversations the user is in, as far as the crowd knows. */
export function messagesKnownTo(userId: string, history: History, hints: GroupHints): MessageSeen[] {
  return history.calls.slice(-recently).flatMap((call) => {
    const message = call.kind === 'send' ? answerOf(call)?.message : undefined
    if (!message) return []
    const { conversationId, seq } = message
    const joinedSeq = isGroup(conversationId) ? hints.member(userId, conversationId)?.joinedSeq : 0
    const isIn = isGroup(conversationId) || history.members[conversationId]?.includes(userId)
    return isIn && joinedSeq !== undefined && seq > joinedSeq ? [message] : []
  })
}
