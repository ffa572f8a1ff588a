import type { Departure, DepartureStore } from '../../ports/people.ts'

export function createDeparturesMemory(): DepartureStore {
  const standing = new Map<string, Departure>()
  const keyOf = ({ userId, groupId }: Pick<Departure, 'userId' | 'groupId'>) => `${userId} ${groupId}`

  return {
    async put(departure) {
      standing.set(keyOf(departure), departure)
    },

    getMany: async (groupId, userIds) =>
      [...new Set(userIds)].flatMap((userId) => standing.get(keyOf({ userId, groupId })) ?? []),

    async remove(departure) {
      if (standing.get(keyOf(departure))?.leftAtMs === departure.leftAtMs) standing.delete(keyOf(departure))
    },
  }
}
