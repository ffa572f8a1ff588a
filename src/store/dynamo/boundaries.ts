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

  /** Sets these columns, which all are set to the same seq. Returns undefined where the condition did not hold. */
  async function raise(
    member: MemberAddress,
    columns: { last_delivered_seq?: Seq; last_read_seq?: Seq },
    where: string,
  ): Promise<BoundaryChange | undefined> {
    const key = toKey(member)
    const seq = columns.last_delivered_seq ?? columns.last_read_seq
    const done = await table.setOver(key, columns, { where, values: { ':seq': seq } })
    if (!done) return undefined
    const before = toBoundaries({ ...key, ...done.before })
    return { boundaries: toBoundaries({ ...key, ...done.before, ...columns }), changed: true, before }
  }

  async function deliver(member: MemberAddress, seq: Seq): Promise<BoundaryChange> {
    const change = await raise(member, { last_delivered_seq: seq }, deliveredIsLower)
    if (change) return change
    return { boundaries: await get(member), changed: false }
  }

  /**
   * DynamoDB has no max(), so there are two updates, each for one position of delivered. After a refused one the row is read, which tells whether
   * read was there already or delivered was on the other side. Boundaries only rise, so that happens at most twice.
   */
  async function read(member: MemberAddress, seq: Seq, delivered: Seq = 0): Promise<BoundaryChange> {
    const change = delivered >= seq ? await readDelivered(member, seq) : await readUndelivered(member, seq)
    if (change) return change
    const boundaries = await get(member)
    if (boundaries.lastReadSeq >= seq) return { boundaries, changed: false }
    return read(member, seq, boundaries.lastDeliveredSeq)
  }

  const readDelivered = (member: MemberAddress, seq: Seq) =>
    raise(member, { last_read_seq: seq }, `${readIsLower} AND last_delivered_seq >= :seq`)

  const readUndelivered = (member: MemberAddress, seq: Seq) =>
    raise(member, { last_read_seq: seq, last_delivered_seq: seq }, `${readIsLower} AND ${deliveredIsLower}`)

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

  async function note(member: MemberAddress): Promise<void> {
    await table.put(toKey(member), { where: 'attribute_not_exists(user_id)' })
  }

  async function remove(member: MemberAddress): Promise<void> {
    await table.remove(toKey(member), { where: 'attribute_exists(user_id)' })
  }

  return { deliver, read, getMany, ofUser, note, remove }
}
