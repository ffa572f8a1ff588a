import type { Task } from '../../ports/tasks.ts'
import type { AdminContext } from './context.ts'
import { type AdminConversation, requireConversation } from './conversations.ts'
import { notBuilt } from './not-built.ts'

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

export function setRetention(
  _ctx: AdminContext,
  _input: { conversationId: string; days?: number | null | undefined },
): Promise<{ conversation: AdminConversation }> {
  throw notBuilt('setRetention')
}

export function eraseUser(_ctx: AdminContext, _input: { userId: string }): Answer {
  throw notBuilt('eraseUser')
}

export function exportUser(_ctx: AdminContext, _input: { userId: string }): Answer {
  throw notBuilt('exportUser')
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
