import { createHash } from 'node:crypto'
import type { Conversation } from '../../ports/conversations.ts'
import type { Change, Erased, LogEntry, LogRow } from '../../ports/log.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ClientMessageId, ConversationId, Seq, UserId } from '../../protocol/ids.ts'
import { seqMax } from '../../protocol/limits.ts'
import { type Access, isIn, type Member } from '../conversations/access.ts'
import type { Groups } from '../conversations/groups.ts'
import { isMessage, type Log } from '../log/log.ts'
import type { Attachments } from '../media/attachments.ts'

// Takes a user out of one conversation. docs/protocol.md, "Erasure", says why the steps come in this order.

const pageSize = 100
const rowsAtATime = 10

export type Walk = { after: Seq; save(after: Seq): Promise<void> }

type Stores = 'messages' | 'claims' | 'conversations' | 'memberships' | 'boundaries' | 'boundaryCache' | 'pending'
type Needs = Pick<Ports, Stores | 'departures' | 'blocks' | 'push'> & {
  access: Access
  groups: Groups
  log: Log
  removeFiles: Attachments['remove']
  setBlocked: (userId: UserId, blockedId: UserId, blocked: boolean) => Promise<void>
  /** Removes an export of the conversation that was made earlier; one that is under way begins again. */
  renewExport: (id: ConversationId) => Promise<void>
  tellErased: (member: Member, about: { seq: Seq; clientMessageId: ClientMessageId; isOwn: boolean }) => Promise<void>
}

export function createEraseConversation(needs: Needs) {
  const { messages, claims, conversations, memberships, boundaries, boundaryCache, pending, departures, blocks, push } =
    needs
  const { access, groups, log, removeFiles, setBlocked, renewExport, tellErased } = needs

  /** The rows by which the conversation was found go last: while one is there, a node that takes over finds it again. */
  async function erase(id: ConversationId, erased: Erased, { after, save }: Walk): Promise<void> {
    const { userId, pseudonym } = erased
    const conversation = await access.current(id)
    if (conversation) {
      await takeOut(conversation, erased)
      const member = await access.forService(pseudonym, id)
      for (let from = after; ; ) {
        const rows = await log.above(id, from, pageSize)
        for (let i = 0; i < rows.length; i += rowsAtATime) {
          await Promise.all(rows.slice(i, i + rowsAtATime).map((row) => eraseRow(member, row, erased)))
        }
        const last = rows.at(-1)
        if (!last) break
        from = last.seq
        await save(from)
      }
    }
    await renewExport(id)
    const own = { userId, conversationId: id }
    await boundaryCache.forget(own)
    await push?.banners.forget(own)
    await pending.remove(userId, id, seqMax)
    for (const departure of await departures.ofUser(userId)) {
      if (departure.groupId === id) await departures.remove(departure)
    }
    await memberships.remove(userId, id, seqMax)
    await boundaries.remove(own)
  }

  /** Removes the blocks of the user by the other members, also in a group. Blocks are listed by who has blocked, so nothing else leads to these. */
  async function unblock({ members }: Conversation, userId: UserId): Promise<void> {
    const others = members.filter((each) => each !== userId)
    const areBlocking = await blocks.getMany(others.map((other) => ({ userId: other, blockedId: userId })))
    for (const other of others.filter((_, i) => areBlocking[i])) await setBlocked(other, userId, false)
  }

  /** Takes the user out of a group. In a direct chat the pseudonym takes their place and their boundaries, so that no tick goes back. */
  async function takeOut(conversation: Conversation, { userId, pseudonym }: Erased): Promise<void> {
    const { id } = conversation
    if (!isIn(userId, conversation)) return
    await unblock(conversation, userId)
    if (conversation.kind === 'GROUP') {
      await groups.updateByService(await access.forService(pseudonym, id), { add: [], remove: [userId] })
      return
    }
    const [had] = await boundaries.getMany([{ userId, conversationId: id }])
    const heir = { userId: pseudonym, conversationId: id }
    if (had && had.lastDeliveredSeq > 0) await boundaries.deliver(heir, had.lastDeliveredSeq)
    if (had && had.lastReadSeq > 0) await boundaries.read(heir, had.lastReadSeq)
    await conversations.replaceMember(id, userId, pseudonym)
    access.forget(id)
  }

  /** Erases one row. A retry does all of it again: what was done has no effect then, and is told under the same id. */
  async function eraseRow(member: Member, row: LogRow, erased: Erased): Promise<void> {
    const { userId, pseudonym } = erased
    if (row.kind === 'void') return
    if (row.kind === 'group') await groups.decideChange(row)
    const isOwn = row.senderId === userId
    if (isOwn && row.kind === 'change' && row.alteration.type === 'reaction') await takeReaction(member, row, erased)
    // A claim without its entry would keep the id of the user, and nobody would find it any more.
    if (isOwn) await claims.remove(row.senderId, row.clientMessageId)
    if (isOwn && isMessage(row)) await removeFiles(row.attachments)
    if (isOwn || names(row, userId)) await messages.erase(row, erased)
    // An earlier attempt may have come as far as this.
    if (isMessage(row) && (isOwn || row.senderId === pseudonym)) await tell(member, row.seq, true)
  }

  /** Takes a reaction off its message. The change itself is erased later: while it says whose it was, a node that takes over repeats this. */
  async function takeReaction(member: Member, { conversationId, targetSeq }: Change, erased: Erased): Promise<void> {
    const address = { conversationId, seq: targetSeq }
    const target = await messages.get(address)
    if (!target || !isMessage(target) || target.senderId === erased.pseudonym) return
    await messages.erase(address, erased)
    await tell(member, targetSeq, false)
  }

  const tell = (member: Member, seq: Seq, isOwn: boolean): Promise<void> =>
    tellErased(member, { seq, isOwn, clientMessageId: idOfTold(member.conversation.id, seq) })

  return erase
}

/** The erasure of a message is told once, because the id under which it is told depends on the message alone. */
const idOfTold = (id: ConversationId, seq: Seq): ClientMessageId =>
  `told.${createHash('sha256').update(`${id}#${seq}`).digest('base64url').slice(0, 22)}` as ClientMessageId

/** Returns whether an entry of somebody else has to do with the user. */
function names(row: LogEntry, userId: UserId): boolean {
  if (row.kind === 'message') return row.reactions?.some((each) => each.userId === userId) ?? false
  if (row.kind === 'change') return false
  return [...row.added, ...row.removed, ...row.roles.map((each) => each.userId)].includes(userId)
}
