import type { ShownChange } from '../../domain/streams/follow-changes.ts'
import type { Alteration, Message } from '../../ports/log.ts'
import { emojiProblem } from '../../protocol/emoji.ts'
import { badInput } from '../../protocol/errors.ts'
import { isClientMessageId, type UserId } from '../../protocol/ids.ts'
import { pageMax, reactingUsersDefault } from '../../protocol/limits.ts'
import { bodyProblem } from '../../protocol/text.ts'
import type { Context } from '../context.ts'
import { findConversation, requireConversation } from '../conversations/conversations.ts'
import type { User } from '../people/users.ts'
import { followRequestOf, type StreamArguments } from './message-added.ts'

type Target = { conversationId: string; seq: number; clientMessageId: string }
type Changed = { message: Message }

export async function editMessage(ctx: Context, input: Target & { body: string }): Promise<Changed> {
  const { body } = input
  return change(ctx, input, { type: 'edit', body }, () => [['body', bodyProblem(body)]])
}

export const deleteMessage = (ctx: Context, input: Target): Promise<Changed> => change(ctx, input, { type: 'delete' })

export async function react(ctx: Context, input: Target & { emoji: string; on: boolean }): Promise<Changed> {
  const { emoji, on } = input
  return change(ctx, input, { type: 'reaction', emoji, on }, () => [['emoji', emojiProblem(emoji)]])
}

async function change(
  ctx: Context,
  { conversationId, seq, clientMessageId }: Target,
  alteration: Alteration,
  problems: () => [field: string, problem: string | undefined][] = () => [],
): Promise<Changed> {
  const member = await requireConversation(ctx, conversationId)
  if (!isClientMessageId(clientMessageId)) {
    throw badInput('clientMessageId', 'clientMessageId must be 1 to 64 of A-Z a-z 0-9 . _ : -')
  }
  for (const [field, problem] of problems()) if (problem) throw badInput(field, problem)
  return { message: await ctx.domain.change(member, { seq, clientMessageId, alteration }) }
}

export const messageChanged = async (
  ctx: Context,
  args: StreamArguments,
): Promise<AsyncIterableIterator<ShownChange>> => ctx.domain.followChanges(await followRequestOf(ctx, args))

/** Returns the message that a message replies to, as it is now; null if it is from before the viewer joined. */
export async function repliedTo(ctx: Context, { conversationId, replyToSeq }: Message): Promise<Message | null> {
  if (replyToSeq === undefined) return null
  const member = await findConversation(ctx, conversationId)
  if (!member || replyToSeq <= member.joinedSeq) return null
  return (await ctx.loaders.messages.load({ conversationId, seq: replyToSeq })) ?? null
}

/** `userIds`: in the order they reacted. */
export type ReactionCount = { emoji: string; count: number; viewerReacted: boolean; userIds: readonly UserId[] }

/** Counts reactions by emoji, in the order in which the emoji first appeared. */
export function reactionsOf({ viewer }: Context, { reactions = [] }: Message): ReactionCount[] {
  const reacting = new Map<string, UserId[]>()
  for (const { emoji, userId, on } of reactions) {
    const userIds = reacting.get(emoji)
    if (on && userIds) userIds.push(userId)
    else if (on) reacting.set(emoji, [userId])
  }
  return [...reacting].map(([emoji, userIds]) => ({
    emoji,
    count: userIds.length,
    viewerReacted: viewer !== undefined && userIds.includes(viewer.userId),
    userIds,
  }))
}

/** The first so many of those who reacted. */
export function reactingUsers({ userIds }: ReactionCount, first: number | null | undefined): User[] {
  const count = first ?? reactingUsersDefault
  if (count < 1 || count > pageMax) throw badInput('first', `first must be between 1 and ${pageMax}.`)
  return userIds.slice(0, count).map((id) => ({ id }))
}
