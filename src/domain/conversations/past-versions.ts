import { LRUCache } from 'lru-cache'
import type { Group } from '../../ports/conversations.ts'
import type { GroupChange } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, Seq } from '../../protocol/ids.ts'

// Tells whether a group change in the log took effect: exactly those did whose seq is a version of the group, or was one. The group's row
// names its versions, because the write that decides a change writes both. Below the oldest version that it names, the log tells: every
// change names the version it was made for, so the versions are a chain that leads down to the first change. Its links never change, and a
// node remembers them.

/** About 10 MB. */
const linksMax = 100_000

export type PastVersions = ReturnType<typeof createPastVersions>

export function createPastVersions({ messages }: Pick<Ports, 'messages'>) {
  // The cache is bounded by size alone: one that is given a count takes the memory for so many entries when it is made.
  const links = new LRUCache<string, Seq>({ maxSize: linksMax, sizeCalculation: () => 1 })

  /** Returns whether the change took effect. It must be decided in this group. */
  async function tookEffect(group: Group, { conversationId: id, seq, baseVersion }: GroupChange): Promise<boolean> {
    const oldest = group.pastVersions[0] ?? group.version
    if (seq >= oldest) return seq === group.version || group.pastVersions.includes(seq)
    links.set(keyOf(id, seq), baseVersion)
    let version = oldest
    while (version > seq) version = links.get(keyOf(id, version)) ?? (await readLink(id, version))
    return version === seq
  }

  /** Returns the version before this one. Each is read once, so that a walk that ran out of time continues where it stopped. */
  async function readLink(id: ConversationId, version: Seq): Promise<Seq> {
    const cell = await messages.get({ conversationId: id, seq: version })
    const before = cell?.kind === 'group' ? cell.baseVersion : 0
    links.set(keyOf(id, version), before)
    return before
  }

  return { tookEffect }
}

const keyOf = (id: ConversationId, version: Seq): string => `${id} ${version}`
