import type { Membership, Settings, SettingsChange } from '../../ports/conversations.ts'
import type { Ports } from '../../ports/ports.ts'
import { notFound } from '../../protocol/errors.ts'
import type { Member } from './access.ts'

// A member's own settings of a conversation. They are stored in the membership, and no other member sees them.

export type SettingsOf = ReturnType<typeof createSettings>

type Needs = Pick<Ports, 'memberships' | 'indexStamps' | 'events' | 'clock'>

export function createSettings({ memberships, indexStamps, events, clock }: Needs) {
  /** Returns the settings in the order asked for, in one batch. */
  async function of(members: readonly Member[]): Promise<Settings[]> {
    return (await memberships.getMany(members.map(addressOf))).map(inForce)
  }

  /** Changes the settings and publishes that to the member's other devices. It is idempotent. */
  async function configure(member: Member, change: SettingsChange): Promise<Settings> {
    const [unchanged] = Object.keys(change).length === 0 ? await of([member]) : []
    if (unchanged) return unchanged
    await indexStamps.replace([member.userId])
    const membership = await memberships.configure(addressOf(member), change)
    if (!membership) throw notFound()
    await Promise.all([
      indexStamps.replace([member.userId]),
      events.publishConversation([member.userId], member.conversation.id),
    ])
    return inForce(membership)
  }

  /** Leaves out a mute that is over. */
  function inForce(membership: Membership | undefined): Settings {
    const { mutedUntilMs, pinned = false, archived = false } = membership?.settings ?? {}
    const isMuted = mutedUntilMs !== undefined && mutedUntilMs > clock.now()
    return { ...(isMuted && { mutedUntilMs }), pinned, archived }
  }

  return { of, configure, inForce }
}

const addressOf = ({ userId, conversation }: Member) => ({ userId, conversationId: conversation.id })
