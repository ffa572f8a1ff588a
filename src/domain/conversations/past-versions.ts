import { LRUCache } from 'lru-cache'
import type { Group } from '../../ports/conversations.ts'
import type { GroupChange } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, Seq } from '../../protocol/ids.ts'

// Tells whether a group change in the log took effect: exactly those did whose seq is a version of the group, or was one. The group's row
// names its versions, because the write that decides a change writes both. Below the oldest version that it names, the log tells: every
// change names the version it was made for, so the versions are a chain that leads down to the first change. A chain only grows at its ends,
// and a node remembers how far it has followed it, so that it reads each part of the log once for this.

/** How many versions of all groups are remembered. They take about 10 MB. */
const versionsMax = 250_000
/** How many rows are read at once where most of them are changes. */
const rowsMax = 100

/** The versions of a group from `newest` down to `oldest`. Every seq between that is not among them was no version. */
type Chain = {
  versions: Set<Seq>
  newest: Seq
  oldest: Seq
  rowsToRead: number
  reading?: Promise<void> | undefined
}

export type PastVersions = ReturnType<typeof createPastVersions>

export function createPastVersions({ messages }: Pick<Ports, 'messages'>) {
  // The cache is bounded by size alone: one that is given a count takes the memory for so many entries when it is made.
  const chains = new LRUCache<ConversationId, Chain>({
    maxSize: versionsMax,
    sizeCalculation: ({ versions }) => versions.size,
  })

  /** Returns whether the change took effect. It must be decided in this group. */
  async function tookEffect(group: Group, change: GroupChange): Promise<boolean> {
    const { conversationId: id, seq } = change
    const named = group.pastVersions[0] ?? group.version
    if (seq >= named) return seq === group.version || group.pastVersions.includes(seq)
    const chain = chains.get(id) ?? startOf(named)
    chains.set(id, chain)
    try {
      if (chain.newest < named) await lengthen(id, chain, named)
      while (chain.oldest > seq) await followTogether(id, chain)
      note(chain, change)
    } finally {
      // The cache counts what it is given anew.
      chains.delete(id)
      chains.set(id, chain)
    }
    return chain.versions.has(seq)
  }

  /** Puts the versions from this one down to the newest of the chain on top of it. The oldest version that the row names rises with time. */
  async function lengthen(id: ConversationId, chain: Chain, version: Seq): Promise<void> {
    const top = startOf(version)
    while (top.oldest > chain.newest) await follow(id, top)
    for (const each of top.versions) chain.versions.add(each)
    chain.newest = Math.max(chain.newest, version)
    chain.oldest = Math.min(chain.oldest, top.oldest)
  }

  /** Many who ask at once wait for the same read. */
  function followTogether(id: ConversationId, chain: Chain): Promise<void> {
    chain.reading ??= follow(id, chain).finally(() => {
      chain.reading = undefined
    })
    return chain.reading
  }

  /** Follows the chain down through the next rows of the log. It reads more of them each time, as long as most of them are versions. */
  async function follow(id: ConversationId, chain: Chain): Promise<void> {
    const version = chain.oldest
    const rows = await messages.below(id, version + 1, chain.rowsToRead)
    const before = chain.versions.size
    for (const row of rows) if (row.kind === 'group') note(chain, row)
    const met = chain.versions.size - before
    // The row of a version is always there. If it were not, a reader would otherwise ask for it for ever.
    if (chain.oldest === version) chain.oldest = 0
    chain.rowsToRead = Math.min(Math.max(1, 2 * met), rowsMax)
  }

  return { tookEffect }
}

const startOf = (version: Seq): Chain => ({
  versions: new Set([version]),
  newest: version,
  oldest: version,
  rowsToRead: 1,
})

/** Follows the chain by one version if this is the change that made its oldest one. */
function note(chain: Chain, { seq, baseVersion }: GroupChange): void {
  if (seq !== chain.oldest) return
  chain.oldest = baseVersion
  chain.versions.add(baseVersion)
}
