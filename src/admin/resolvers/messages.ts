import type { Message } from '../../ports/log.ts'
import type { Connection } from '../../resolvers/connection.ts'
import type { AroundArguments } from '../../resolvers/page-arguments.ts'
import type { AdminContext } from './context.ts'
import { notBuilt } from './not-built.ts'

export type AdminMessage = Message
export type AdminSent = { message: AdminMessage; duplicate: boolean }
export type SendWish = {
  clientMessageId: string
  to: { conversationId?: string | null | undefined; userId?: string | null | undefined }
  as?: string | null | undefined
  body: string
  metadata?: unknown
  sentAt?: Date | null | undefined
  silent?: boolean | null | undefined
}

export const kindOf = (_message: AdminMessage): 'USER' | 'SYSTEM' => 'USER'

export function listMessages(
  _ctx: AdminContext,
  _args: AroundArguments & { conversationId: string },
): Promise<Connection<AdminMessage>> {
  throw notBuilt('messages')
}

export function sendMessage(_ctx: AdminContext, _input: SendWish): Promise<AdminSent> {
  throw notBuilt('sendMessage')
}

export function deleteMessage(
  _ctx: AdminContext,
  _input: { conversationId: string; seq: number; clientMessageId: string },
): Promise<AdminSent> {
  throw notBuilt('deleteMessage')
}
