import type { Block, BlockStore } from '../../ports/people.ts'

export function createBlocksMemory(): BlockStore {
  const standing = new Set<string>()
  const keyOf = ({ userId, blockedId }: Block) => `${userId} ${blockedId}`

  return {
    async set(block, blocked) {
      if (blocked) standing.add(keyOf(block))
      else standing.delete(keyOf(block))
    },

    getMany: async (blocks) => blocks.map((block) => standing.has(keyOf(block))),
  }
}
