import type { Member } from '../../domain/conversations/access.ts'
import type { SettingsChange } from '../../ports/conversations.ts'
import { badInput } from '../../protocol/errors.ts'
import { titleProblem } from '../../protocol/text.ts'
import type { Context } from '../context.ts'
import { requireConversation } from './conversations.ts'

type UpdateConversationInput = {
  conversationId: string
  title?: string | null | undefined
  mutedUntil?: Date | null | undefined
  pinned?: boolean | null | undefined
  archived?: boolean | null | undefined
}

export const mutedUntilOf = async (ctx: Context, member: Member): Promise<number | undefined> =>
  (await ctx.loaders.settings.load(member)).mutedUntilMs

export const isPinned = async (ctx: Context, member: Member): Promise<boolean> =>
  (await ctx.loaders.settings.load(member)).pinned

export const isArchived = async (ctx: Context, member: Member): Promise<boolean> =>
  (await ctx.loaders.settings.load(member)).archived

export async function updateConversation(
  ctx: Context,
  { conversationId, title, ...input }: UpdateConversationInput,
): Promise<{ conversation: Member }> {
  const member = await requireConversation(ctx, conversationId)
  const change = changeOf(input)
  const conversation = title === undefined ? member : await rename(ctx, member, title)
  const settings = await ctx.domain.settings.configure(conversation, change)
  ctx.loaders.settings.prime(conversation, settings)
  return { conversation }
}

function changeOf({ mutedUntil, pinned, archived }: Omit<UpdateConversationInput, 'conversationId'>): SettingsChange {
  return {
    ...(mutedUntil !== undefined && { mutedUntilMs: mutedUntil?.getTime() ?? null }),
    ...(pinned !== undefined && { pinned: trueOrFalse('pinned', pinned) }),
    ...(archived !== undefined && { archived: trueOrFalse('archived', archived) }),
  }
}

function trueOrFalse(field: string, value: boolean | null): boolean {
  if (value === null) throw badInput(field, `${field} must be true or false; left out, it stays.`)
  return value
}

async function rename(ctx: Context, member: Member, title: string | null): Promise<Member> {
  if (member.conversation.kind === 'DIRECT') throw badInput('title', 'A direct chat has no title.')
  const problem = title === null ? 'A group has a title; left out, it stays.' : titleProblem(title)
  if (title === null || problem) throw badInput('title', problem ?? '')
  return ctx.domain.groups.rename(member, title)
}
