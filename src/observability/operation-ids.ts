import type { IncomingMessage } from 'node:http'

/** These ids find a message in the logs of all nodes. */
type SentIds = { conversationId: string; seq: number; messageId: string; duplicate: boolean }

/** Every log line about one operation carries these ids. */
export type OperationIds = {
  /** The id of an HTTP request, which is also in the header of its answer. */
  requestId?: string
  /** The id of a WebSocket, and what its client calls the operation. */
  connectionId?: string
  operationId?: string
  userId?: string
  /** What the operation has sent so far. */
  sent?: SentIds[]
}

/** An id is short, and has nothing in it that means something to a shell, a log or a header. */
const wellFormed = /^[A-Za-z0-9._:-]{1,64}$/

/** Returns the id that a proxy has given the request, if it is well-formed; otherwise a new one. */
export function requestIdOf(request: IncomingMessage, randomId: () => string): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && wellFormed.test(given) ? given : randomId()
}

/** Clients choose these ids, so the log shows only those that are well-formed. */
export const loggedOperationId = (id: string): string => (wellFormed.test(id) ? id : '?')
