import type { Random } from '../../simulation/random.ts'
import type { ChaosClient } from './client.ts'
import type { GroupHints } from './group-hints.ts'
import { pause } from './sender.ts'

type TypistOptions = {
  client: ChaosClient
  conversationIds: readonly string[]
  established: ReadonlySet<string>
  hints: GroupHints
  random: Random
  quiet: AbortSignal
  meanPauseMs: number
}

/**
 * Plays a user who begins to type and stops again, mostly in groups, now and then in one they may not be in. A call that fails is not
 * repeated.
 */
export async function runTypist(options: TypistOptions): Promise<void> {
  const { client, conversationIds, established, hints, random, quiet, meanPauseMs } = options
  while (!quiet.aborted) {
    await pause(random.between(meanPauseMs / 2, meanPauseMs * 1.5), quiet)
    const groups = random.chance(0.1) ? hints.ids() : hints.of(client.userId)
    const chats = conversationIds.filter((id) => established.has(id))
    const known = groups.length > 0 && random.chance(0.75) ? groups : chats
    if (quiet.aborted || known.length === 0) continue
    await client.typing({ conversationId: random.pick(known), typing: random.chance(0.7) })
  }
}
