import type { Block, BlockStore } from '../../ports/people.ts'
import type { UserId } from '../../protocol/ids.ts'

export function createBlocksMemory(): BlockStore {
  const standing = new Set<string>()
  const keyOf = ({ userId, blockedId }: Block) => `${userId} ${blockedId}`

  const blockedBy = (userId: UserId): UserId[] =>
    [...standing]
      .filter((key) => key.startsWith(`${userId} `))
      .map((key) => key.slice(userId.length + 1) as UserId)
      .sort()

  return {
    async set(block, blocked) {
      if (blocked) standing.add(keyOf(block))
      else standing.delete(keyOf(block))
    },

    getMany: async (blocks) => blocks.map((block) => standing.has(keyOf(block))),

    above: async (userId, after, limit) =>
      blockedBy(userId)
        .filter((id) => after === undefined || id > after)
        .slice(0, limit),

    below: async (userId, before, limit) =>
      blockedBy(userId)
        .reverse()
        .filter((id) => before === undefined || id < before)
        .slice(0, limit),
  }
}
