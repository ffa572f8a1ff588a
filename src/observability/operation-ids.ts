import type { IncomingMessage } from 'node:http'

/** What a message can be found by in the logs of all nodes. */
type SentIds = { conversationId: string; seq: number; messageId: string; duplicate: boolean }

/** What every line about one operation carries. */
export type OperationIds = {
  /** Of an HTTP request, also in the header of its answer. */
  requestId?: string
  /** Of a WebSocket, and what its client calls the operation. */
  connectionId?: string
  operationId?: string
  userId?: string
  /** What the operation has sent, added as it does. */
  sent?: SentIds[]
}

/** Short, and nothing that means something to a shell, a log or a header. */
const wellFormed = /^[A-Za-z0-9._:-]{1,64}$/

/** The one a proxy has given it, if it is one; otherwise a new one. */
export function requestIdOf(request: IncomingMessage, randomId: () => string): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && wellFormed.test(given) ? given : randomId()
}

/** Clients choose them. */
export const loggedOperationId = (id: string): string => (wellFormed.test(id) ? id : '?')
