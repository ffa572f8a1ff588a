import type { ChaosClient } from './client.ts'
import type { Subscription } from './connection.ts'
import type { GroupHints } from './group-hints.ts'
import { pause } from './sender.ts'

// Plays a guest in a group who only watches, for as long as the streams last: the ticks of everything, and of the group its messages, ticks
// and typing. Guests stay out for a long time, so what they are shown after their removal, and whether their streams end, can be seen.

type WatcherOptions = { client: ChaosClient; hints: GroupHints; over: AbortSignal }

export async function runWatcher({ client, hints, over }: WatcherOptions): Promise<void> {
  const open = new Set<Subscription>()
  over.addEventListener('abort', () => open.forEach((each) => void each.close()), { once: true })

  /** Opens one stream after the other, until one of them is refused for good. */
  async function keep(follow: (avoidedNode?: string) => Subscription): Promise<void> {
    let last: Subscription | undefined
    while (!over.aborted) {
      last = follow(last?.node)
      open.add(last)
      const { refused } = await last.ended
      open.delete(last)
      if (refused?.retryable === false) return
      await pause(500, over)
    }
  }

  const watched = new Set<string>()
  const running = [keep((node) => client.followTicks(undefined, node))]
  while (!over.aborted) {
    for (const conversationId of hints.of(client.userId)) {
      if (watched.has(conversationId)) continue
      watched.add(conversationId)
      const streams = [
        keep((node) => client.follow({ conversationId }, () => undefined, node)),
        keep((node) => client.followTicks(conversationId, node)),
        keep((node) => client.followTyping(conversationId, node)),
      ]
      // When all streams have ended, and the guest is in the group again, they begin anew.
      running.push(Promise.all(streams).then(() => void watched.delete(conversationId)))
    }
    await pause(1000, over)
  }
  await Promise.all(running)
}
