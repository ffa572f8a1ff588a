import type { OperationIds } from '../../observability/operation-ids.ts'
import type { Operation, OperationLog } from '../../observability/operation-log.ts'
import type { Tracing } from '../../observability/tracing.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import { type Authenticate, unauthenticated } from '../auth/auth.ts'
import type { ErrorMapper } from '../execution/errors.ts'
import type { Operations } from '../execution/operations.ts'
import type { Admission } from '../limits/admission.ts'
import type { ClientAddress } from './client-address.ts'
import { answer, assertJson, type Handler, jsonType, readJsonObject } from './exchange.ts'

type SentMessage = {
  id: string
  seq: number
  conversationId: string
  messageId: string
  clientMessageId: string
  senderId: string
  body: string
  sentAt: string
}

/** It checks the values itself: a stranger gets NOT_FOUND before any other error. */
export type SendMessage = (
  viewer: Viewer,
  input: { clientMessageId: unknown; to: unknown; body: unknown; attachmentIds: unknown },
  ids: OperationIds,
) => Promise<{ message: SentMessage; duplicate: boolean }>

type MessagesOptions = {
  authenticate: Authenticate
  admission: Admission
  clientAddress: ClientAddress
  sendMessage: SendMessage
  operations: Operations
  errors: ErrorMapper
  log: OperationLog
  tracing?: Tracing
}

/** POST /messages sends a message for clients without GraphQL, or whose WebSocket is blocked. */
export function createMessagesHandler({
  authenticate,
  admission,
  clientAddress,
  sendMessage,
  operations,
  errors,
  log,
  tracing,
}: MessagesOptions): Handler {
  return async (exchange) => {
    const { request, requestId } = exchange
    const ids: OperationIds = { requestId }
    const operation: Operation = { name: 'sendMessage', type: 'mutation', transport: 'rest', ids }
    const finished = log(operation)
    try {
      assertJson(request)
      const address = clientAddress(request)
      const viewer = await authenticate(request.headers.authorization, address)
      if (!viewer) throw unauthenticated('Expected "authorization: Bearer <token>".')
      ids.userId = viewer.userId
      await admission.admit(viewer, address)
      const { clientMessageId, to, body, attachmentIds } = await readJsonObject(request)
      const input = { clientMessageId, to, body, attachmentIds }
      const send = () => sendMessage(viewer, input, ids)
      const { message, duplicate } = await operations.run(
        tracing ? () => tracing.operation(operation, request.headers.traceparent, send) : send,
        undefined,
      )
      answer(exchange, duplicate ? 200 : 201, ['content-type', jsonType], JSON.stringify({ message, duplicate }))
      finished()
    } catch (error) {
      const graphQLError = errors.about(ids).toGraphQLError(error)
      finished([errors.toProblem(graphQLError)])
      throw graphQLError
    }
  }
}
