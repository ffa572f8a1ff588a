import type { AdminContext } from './context.ts'
import type { AdminConversation } from './conversations.ts'
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

export function findTask(_ctx: AdminContext, _id: string): Promise<AdminTask | null> {
  throw notBuilt('task')
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

export function exportConversation(_ctx: AdminContext, _input: { conversationId: string }): Answer {
  throw notBuilt('exportConversation')
}
