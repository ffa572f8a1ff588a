import type { Ports } from '../../ports/ports.ts'
import type { PushObserver, PushQueue, TakenJob, WantedBanner } from '../../ports/push.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
import type { Access } from '../conversations/access.ts'
import { joinedSeqOf } from '../conversations/group.ts'

// Turns messages into the banners they may change: it finds who is in the conversation, and who of them is absent. Jobs that were taken together
// are handled together: for ten messages to a group of a thousand, presence is looked up once.

const askedAtATime = 500

type Needs = Pick<Ports, 'sessions'> & { queue: PushQueue; access: Access; observer: PushObserver }

export function createPushExpand({ sessions, queue, access, observer }: Needs) {
  /** Returns the jobs that are done. A job that fails stays in the queue and is taken again later. */
  return async function expand(jobs: readonly TakenJob[]): Promise<TakenJob[]> {
    const ofConversation = new Map<ConversationId, TakenJob[]>()
    for (const taken of jobs) {
      const { conversationId } = taken.job
      ofConversation.set(conversationId, [...(ofConversation.get(conversationId) ?? []), taken])
    }
    const found = await Promise.all(
      [...ofConversation].map(async ([conversationId, some]) => {
        try {
          return [{ jobs: some, wants: await wantsOf(conversationId, some) }]
        } catch (error) {
          observer.failed(error)
          return []
        }
      }),
    )
    const wants = found.flat().flatMap((each) => each.wants)
    const absent = await absentOf(new Set(wants.map(({ userId }) => userId)))
    await queue.want(wants.filter(({ userId }) => absent.has(userId)))
    return found.flat().flatMap((each) => each.jobs)
  }

  /** Returns for each member the newest message that is not their own and came after they joined. */
  async function wantsOf(conversationId: ConversationId, taken: readonly TakenJob[]): Promise<WantedBanner[]> {
    const newestFirst = taken.map(({ job }) => job).sort((one, other) => other.seq - one.seq)
    const [first] = newestFirst
    if (!first) return []
    const conversation = await access.current(conversationId)
    if (!conversation) return []
    return conversation.members.flatMap((userId) => {
      const job = newestFirst.find(({ senderId }) => senderId !== userId)
      if (!job || job.seq <= joinedSeqOf(conversation, userId)) return []
      return [{ userId, conversationId, seq: job.seq, atMs: job.atMs }]
    })
  }

  async function absentOf(userIds: ReadonlySet<UserId>): Promise<Set<UserId>> {
    const all = [...userIds]
    const absent = new Set<UserId>()
    for (let i = 0; i < all.length; i += askedAtATime) {
      const some = all.slice(i, i + askedAtATime)
      const states = await sessions.presence(some)
      for (const [place, userId] of some.entries()) if (states[place] === 'offline') absent.add(userId)
    }
    return absent
  }
}
