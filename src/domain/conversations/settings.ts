import type { Membership, Settings, SettingsChange } from '../../ports/conversations.ts'
import type { Ports } from '../../ports/ports.ts'
import { notFound } from '../../protocol/errors.ts'
import type { Member } from './access.ts'

// What a member has decided for themselves about a conversation. It lies in their own membership and is nobody else's business.

export type SettingsOf = ReturnType<typeof createSettings>

export function createSettings({ memberships, events, clock }: Pick<Ports, 'memberships' | 'events' | 'clock'>) {
  /** In the order asked for, in one batch. */
  async function of(members: readonly Member[]): Promise<Settings[]> {
    return (await memberships.getMany(members.map(addressOf))).map(inForce)
  }

  /** Tells the member's other devices. Done twice it is the same. */
  async function configure(member: Member, change: SettingsChange): Promise<Settings> {
    const [unchanged] = Object.keys(change).length === 0 ? await of([member]) : []
    if (unchanged) return unchanged
    const membership = await memberships.configure(addressOf(member), change)
    if (!membership) throw notFound()
    await events.publishConversation([member.userId], member.conversation.id)
    return inForce(membership)
  }

  /** A mute that is over is none. */
  function inForce(membership: Membership | undefined): Settings {
    const { mutedUntilMs, pinned = false, archived = false } = membership?.settings ?? {}
    const isMuted = mutedUntilMs !== undefined && mutedUntilMs > clock.now()
    return { ...(isMuted && { mutedUntilMs }), pinned, archived }
  }

  return { of, configure, inForce }
}

const addressOf = ({ userId, conversation }: Member) => ({ userId, conversationId: conversation.id })
