import type { MemberAddress } from '../../ports/delivery.ts'
import type { LogRow, Message } from '../../ports/log.ts'
import type { Profile } from '../../ports/people.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Notification } from '../../ports/push.ts'
import type { ConversationId, Seq, UserId } from '../../protocol/ids.ts'
import type { Access, Member } from '../conversations/access.ts'
import type { SettingsOf } from '../conversations/settings.ts'
import { isMessage } from '../log/log.ts'

// Decides who gets which notification, and its text. Everything is checked just before a push is sent, not when the message was: since then the
// user may have muted, read, come back, blocked the sender or left the group, and the message may be deleted.

const previewMaxCodePoints = 240
/** If the newest message is not to be shown, this many are searched for another one. */
const lookBack = 25

type Needs = Pick<Ports, 'messages' | 'memberships' | 'sessions' | 'blocks'> & {
  access: Access
  settings: SettingsOf
  profilesOf: (userIds: readonly UserId[]) => Promise<Profile[]>
  /** Whether a notification shows the text, or only says that there is a message. */
  preview: boolean
}

export type PushRules = ReturnType<typeof createPushRules>

export function createPushRules(needs: Needs) {
  const { messages, memberships, sessions, blocks, access, settings, profilesOf, preview } = needs

  /** Returns the member if they may be notified at all: they are absent, and the conversation is not muted. */
  async function audience(address: MemberAddress): Promise<Member | undefined> {
    const [[member], [membership], [presence]] = await Promise.all([
      access.find(address.userId, [address.conversationId]),
      memberships.getMany([address]),
      sessions.presence([address.userId]),
    ])
    const isMuted = settings.inForce(membership).mutedUntilMs !== undefined
    return presence === 'offline' && !isMuted ? member : undefined
  }

  /** Returns the newest message up to `upTo` that the member may be notified of. */
  async function newest(member: Member, upTo: Seq, lastReadSeq: Seq): Promise<Message | undefined> {
    const floor = Math.max(member.joinedSeq, lastReadSeq)
    if (upTo <= floor) return undefined
    const conversationId = member.conversation.id
    const first = await messages.get({ conversationId, seq: upTo })
    const found = await firstFor(member, floor, first ? [first] : [])
    return found ?? firstFor(member, floor, await messages.below(conversationId, upTo, lookBack))
  }

  /** Returns which of these messages are deleted. */
  async function deletedOf(conversationId: ConversationId, seqs: readonly (Seq | undefined)[]): Promise<Set<Seq>> {
    const known = [...new Set(seqs)].filter((seq) => seq !== undefined)
    if (known.length === 0) return new Set()
    const rows = await messages.getMany(known.map((seq) => ({ conversationId, seq })))
    return new Set(rows.filter((row) => isMessage(row) && row.deletedAtMs !== undefined).map(({ seq }) => seq))
  }

  async function firstFor(member: Member, floor: Seq, rows: readonly LogRow[]): Promise<Message | undefined> {
    const possible = rows
      .filter(isMessage)
      .filter((row) => row.seq > floor && row.senderId !== member.userId && row.deletedAtMs === undefined)
    const senders = [...new Set(possible.map(({ senderId }) => senderId))]
    const blocked = await blocks.getMany(senders.map((blockedId) => ({ userId: member.userId, blockedId })))
    return possible.find(({ senderId }) => !blocked[senders.indexOf(senderId)])
  }

  async function compose(message: Message, { conversation }: Member): Promise<Notification> {
    const { conversationId, seq, senderId } = message
    const [profile] = await profilesOf([senderId])
    const name = profile?.ownName ?? profile?.name ?? senderId
    const text = preview ? previewOf(message) : 'New message'
    const words =
      conversation.kind === 'GROUP'
        ? { title: conversation.title, body: preview ? `${name}: ${text}` : text }
        : { title: name, body: text }
    return { type: 'show', conversationId, seq, ...words }
  }

  return { audience, newest, deletedOf, compose }
}

function previewOf({ body, attachments = [] }: Message): string {
  const characters = [...body.trim()]
  if (characters.length === 0) return attachments.length > 1 ? `${attachments.length} files` : 'A file'
  if (characters.length <= previewMaxCodePoints) return characters.join('')
  return `${characters.slice(0, previewMaxCodePoints - 1).join('')}…`
}
