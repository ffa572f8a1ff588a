import type { Task } from '../../ports/tasks.ts'
import { badInput, ChatError } from '../../protocol/errors.ts'
import type { UserId } from '../../protocol/ids.ts'
import { retentionDaysMax } from '../../protocol/limits.ts'
import type { AdminContext } from './context.ts'
import { type AdminConversation, requireConversation } from './conversations.ts'
import { userIdOf } from './inputs.ts'
import { findUser } from './users.ts'

/** `progress` is from 0 to 1. */
export type AdminTask = {
  id: string
  kind: string
  state: 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED'
  progress: number
  url?: string
  error?: string
  createdAtMs: number
  finishedAtMs?: number
}
type Answer = Promise<{ task: AdminTask }>

export async function findTask(ctx: AdminContext, id: string): Promise<AdminTask | null> {
  const task = await ctx.domain.tasks.find(id)
  return task ? shown(ctx, task) : null
}

export async function setRetention(
  ctx: AdminContext,
  { conversationId, days }: { conversationId: string; days?: number | null | undefined },
): Promise<{ conversation: AdminConversation }> {
  const member = await requireConversation(ctx, conversationId)
  if (days != null && (days < 1 || days > retentionDaysMax)) {
    throw badInput('days', `days must be 1 to ${retentionDaysMax}, or null to keep messages for ever.`)
  }
  await ctx.domain.retention.set(member.conversation.id, days ?? undefined)
  ctx.domain.tasks.kick()
  return { conversation: await requireConversation(ctx, conversationId) }
}

/** Refuses an id that nobody has had here. It may be a slip of the pen, and whoever gets the id later would be refused for good. */
export async function eraseUser(ctx: AdminContext, input: { userId: string }): Answer {
  const userId = userIdOf('userId', input.userId)
  if (userId === ctx.serviceId)
    throw badInput('userId', 'A service cannot erase itself: its own token would be refused.')
  await requireSomebody(ctx, userId)
  const task = await ctx.domain.tasks.findOf('eraseUser', userId)
  // There is nothing left to erase, so the answer is the task that has done it.
  if (task?.state === 'DONE') return { task: await shown(ctx, task) }
  return { task: await shown(ctx, await ctx.domain.tasks.begin('eraseUser', userId)) }
}

async function requireSomebody(ctx: AdminContext, userId: UserId): Promise<void> {
  const wasHere = (await findUser(ctx, userId)) !== null || (await ctx.domain.conversationsEver(userId)).length > 0
  if (!wasHere) throw new ChatError('NOT_FOUND', 'There is no such user.')
}

export async function exportUser(ctx: AdminContext, input: { userId: string }): Answer {
  const userId = userIdOf('userId', input.userId)
  await requireSomebody(ctx, userId)
  const [profile] = await ctx.domain.people.stored([userId])
  if (profile?.erasedAtMs !== undefined) throw new ChatError('NOT_FOUND', 'The user was erased: there is nothing left.')
  return { task: await shown(ctx, await ctx.domain.tasks.beginExport('exportUser', userId)) }
}

export async function exportConversation(ctx: AdminContext, { conversationId }: { conversationId: string }): Answer {
  const { conversation } = await requireConversation(ctx, conversationId)
  const task = await ctx.domain.tasks.beginExport('exportConversation', conversation.id)
  return { task: await shown(ctx, task) }
}

async function shown(ctx: AdminContext, task: Task): Promise<AdminTask> {
  const { id, kind, state, progress, error, createdAtMs, finishedAtMs } = task
  const url = await ctx.domain.tasks.urlOf(task)
  return {
    id,
    kind,
    state,
    progress,
    createdAtMs,
    ...(url !== undefined && { url }),
    ...(error !== undefined && { error }),
    ...(finishedAtMs !== undefined && { finishedAtMs }),
  }
}
