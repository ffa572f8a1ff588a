import type { KeyValue } from '../../engine/key-value/key-value.ts'
import type { BoundaryChange, BoundaryStore, MemberAddress } from '../../ports/delivery.ts'
import { type MemberBoundaries, noBoundaries } from '../../protocol/ticks.ts'
import { toBoundaries, toKey } from '../rows/boundary-row.ts'
import { createEmbeddedTable } from './table.ts'

export function createBoundariesEmbedded(engine: KeyValue): BoundaryStore {
  const table = createEmbeddedTable(engine, 'message_status')

  const get = (member: MemberAddress): MemberBoundaries => {
    const item = table.get(toKey(member))
    return item ? toBoundaries(item) : { userId: member.userId, conversationId: member.conversationId, ...noBoundaries }
  }

  /** Raises what is lower. `read` never ends above `delivered`. */
  async function raise(member: MemberAddress, to: { delivered: number; read?: number }): Promise<BoundaryChange> {
    let before: MemberBoundaries | undefined
    const { row, changed } = await table.update(toKey(member), (standing) => {
      const { last_delivered_seq: delivered = 0, last_read_seq: read = 0 } = standing ?? {}
      const isHigher = to.read === undefined ? to.delivered > delivered : to.read > read
      if (!isHigher) return 'keep'
      before = toBoundaries({ ...toKey(member), ...standing })
      const readNow = Math.max(read, to.read ?? 0)
      return {
        ...toKey(member),
        last_delivered_seq: Math.max(delivered, to.delivered),
        last_read_seq: readNow === 0 ? undefined : readNow,
      }
    })
    return { boundaries: row ? toBoundaries(row) : get(member), changed, ...(before && { before }) }
  }

  return {
    deliver: (member, seq) => raise(member, { delivered: seq }),
    read: (member, seq) => raise(member, { delivered: seq, read: seq }),
    getMany: async (members) => members.map(get),
    ofUser: async (userId) => table.query(userId).map(toBoundaries),
    async note(member) {
      await table.update(toKey(member), (standing) => (standing ? 'keep' : toKey(member)))
    },
    async remove(member) {
      await table.update(toKey(member), () => 'remove')
    },
  }
}
