import type { Ports } from '../../ports/ports.ts'
import type { Proposal, Verdict } from '../../ports/pre-send.ts'
import { ChatError } from '../../protocol/errors.ts'
import type { ClientMessageId } from '../../protocol/ids.ts'
import { type Access, type Member, othersOf } from '../conversations/access.ts'
import type { Payload } from '../log/payloads.ts'

// Asks the operator's backend about what a member writes, before anything of it is claimed or stored. What is stored was decided: its retry
// never asks again, and gets what is stored. So the claim has the hash of what the member wrote, and the cell may have a replacement.
//
// A crash between the claim and the cell leaves a claim under which nothing is stored. The retry asks again, and stores what it is told then.

export type AskFirst = NonNullable<ReturnType<typeof createAskFirst>>

type OfProposal<Proposed> = Proposed extends Proposal
  ? Omit<Proposed, 'senderId' | 'conversationId' | 'kind' | 'recipientId'>
  : never
type Replacement = Extract<Verdict, { decision: 'replace' }>

type Needs = Pick<Ports, 'preSend' | 'claims' | 'messages'> & { access: Access }

/** Returns undefined where nobody is to be asked. */
export function createAskFirst({ preSend, claims, messages, access }: Needs) {
  if (!preSend) return undefined

  /** Returns what to store in place of the proposal, or undefined if that is the proposal itself. Throws FORBIDDEN if it was denied. */
  return async function askFirst(
    member: Member,
    payload: Payload,
    proposed: OfProposal<Proposal>,
  ): Promise<Replacement | undefined> {
    const { userId, conversation } = member
    if (await isDecided(member, proposed.clientMessageId, payload)) return undefined
    const verdict = await preSend.ask({
      senderId: userId,
      conversationId: conversation.id,
      kind: conversation.kind,
      ...(conversation.kind === 'DIRECT' && { recipientId: othersOf(member)[0] ?? userId }),
      ...proposed,
    })
    if (verdict.decision === 'deny') throw new ChatError('FORBIDDEN', verdict.reason)
    // The member may have been removed meanwhile.
    if (conversation.kind === 'GROUP') await access.member(userId, conversation.id)
    return verdict.decision === 'replace' ? verdict : undefined
  }

  /** Returns whether an earlier attempt is stored, or the client id was used for something else, which append refuses. */
  async function isDecided(
    { userId, conversation }: Member,
    clientMessageId: ClientMessageId,
    payload: Payload,
  ): Promise<boolean> {
    const claim = await claims.get(userId, clientMessageId)
    if (!claim) return false
    if (claim.conversationId !== conversation.id || !(await payload.isOf(claim))) return true
    const row = await messages.get(claim)
    return (
      row !== undefined && row.kind !== 'void' && row.senderId === userId && row.clientMessageId === clientMessageId
    )
  }
}
