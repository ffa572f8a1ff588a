import type { BoundaryChange, BoundaryStore, MemberAddress } from '../../ports/delivery.ts'
import type { Seq } from '../../protocol/ids.ts'
import { type MemberBoundaries, noBoundaries } from '../../protocol/ticks.ts'
import { toBoundaries, toKey } from '../rows/boundary-row.ts'
import type { Dynamo } from '../rows/tables.ts'
import { createSharedReads } from './shared-reads.ts'
import { createDynamoTable } from './table.ts'

// A boundary that is missing in a row counts as 0. `last_read_seq` is never written where delivered would stay below it.

const deliveredIsLower = '(attribute_not_exists(last_delivered_seq) OR last_delivered_seq < :seq)'
const readIsLower = '(attribute_not_exists(last_read_seq) OR last_read_seq < :seq)'

export function createBoundariesDynamo(dynamo: Dynamo): BoundaryStore {
  const table = createDynamoTable(dynamo, 'message_status')

  async function get(member: MemberAddress): Promise<MemberBoundaries> {
    const item = await table.get(toKey(member))
    return item ? toBoundaries(item) : { ...member, ...noBoundaries }
  }

  async function deliver(member: MemberAddress, seq: Seq): Promise<BoundaryChange> {
    const changed = await table.set(
      toKey(member),
      { last_delivered_seq: seq },
      { where: deliveredIsLower, values: { ':seq': seq } },
    )
    if (changed) return { boundaries: toBoundaries(changed), changed: true }
    return { boundaries: await get(member), changed: false }
  }

  /**
   * DynamoDB has no max(), so there are two updates, each for one position of delivered. After a refused one the row is read, which tells whether
   * read was there already or delivered was on the other side. Boundaries only rise, so that happens at most twice.
   */
  async function read(member: MemberAddress, seq: Seq, delivered: Seq = 0): Promise<BoundaryChange> {
    const changed = delivered >= seq ? await readDelivered(member, seq) : await readUndelivered(member, seq)
    if (changed) return { boundaries: toBoundaries(changed), changed: true }
    const boundaries = await get(member)
    if (boundaries.lastReadSeq >= seq) return { boundaries, changed: false }
    return read(member, seq, boundaries.lastDeliveredSeq)
  }

  const readDelivered = (member: MemberAddress, seq: Seq) =>
    table.set(
      toKey(member),
      { last_read_seq: seq },
      { where: `${readIsLower} AND last_delivered_seq >= :seq`, values: { ':seq': seq } },
    )

  const readUndelivered = (member: MemberAddress, seq: Seq) =>
    table.set(
      toKey(member),
      { last_read_seq: seq, last_delivered_seq: seq },
      { where: `${readIsLower} AND ${deliveredIsLower}`, values: { ':seq': seq } },
    )

  async function getMany(members: readonly MemberAddress[]): Promise<MemberBoundaries[]> {
    const items = await table.getMany(members.map(toKey))
    const found = new Map(
      items.map((item) => [JSON.stringify([item.user_id, item.conversation_id]), toBoundaries(item)]),
    )
    return members.map(
      ({ userId, conversationId }) =>
        found.get(JSON.stringify([userId, conversationId])) ?? { userId, conversationId, ...noBoundaries },
    )
  }

  const sharedReads = createSharedReads<readonly MemberBoundaries[]>({ patient: true })

  const ofUser = (userId: MemberAddress['userId']): Promise<readonly MemberBoundaries[]> =>
    sharedReads(userId, async () => {
      const items = await table.query({ where: 'user_id = :user', values: { ':user': userId } })
      return items.map(toBoundaries)
    })

  return { deliver, read, getMany, ofUser }
}
