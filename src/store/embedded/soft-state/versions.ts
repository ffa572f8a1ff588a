import type { GroupVersions } from '../../../ports/soft-state.ts'
import type { ConversationId, Seq } from '../../../protocol/ids.ts'
import { tokenTtlMs, versionTtlMs } from '../../redis/versions.ts'
import type { MemoryRedis } from './memory-redis.ts'

/** The rules are those of store/redis/versions.ts. */
export function createVersionsMemory(redis: MemoryRedis): GroupVersions {
  const { versions } = redis

  function read(id: ConversationId): { version?: Seq; token?: string; minimum?: Seq } {
    const found = versions.get(id)
    return found?.runId === redis.runId() ? found : {}
  }
  const versionOf = (id: ConversationId): Seq | undefined => read(id).version
  const tokenOf = (id: ConversationId): string | undefined => read(id).token
  const write = (id: ConversationId, version: Seq): void =>
    versions.set(id, { version, runId: redis.runId() }, versionTtlMs)

  return {
    async look(ids, token) {
      await redis.beginCall()
      return ids.map((id) => {
        const version = versionOf(id)
        if (version === undefined && tokenOf(id) === undefined)
          versions.set(id, { token, minimum: 0, runId: redis.runId() }, tokenTtlMs)
        return version
      })
    },

    async seed(id, token, version) {
      await redis.beginCall()
      const { version: known, token: reader, minimum = 0 } = read(id)
      if (known !== undefined) {
        if (known < version) write(id, version)
      } else if (reader === token) write(id, Math.max(minimum, version))
      else if (reader !== undefined)
        versions.set(id, { token: reader, minimum: Math.max(minimum, version), runId: redis.runId() }, tokenTtlMs)
    },

    async raise(id, version) {
      await redis.beginCall()
      const known = versionOf(id)
      if (known === undefined) versions.delete(id)
      else if (known < version) write(id, version)
    },
  }
}
