import { messageNodeId } from '../../protocol/ids.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import type { Context } from '../context.ts'
import { sendMessage } from './send-message.ts'

type CreateContext<Ids> = (viewer: Viewer, stream: undefined, origin: undefined, ids: Ids) => Context

/** Makes `sendMessage` for POST /messages: it has the same rules, and returns the message as REST shows it. */
export const createSendByRest =
  <Ids>(createContext: CreateContext<Ids>) =>
  async (viewer: Viewer, input: Parameters<typeof sendMessage>[1], ids: Ids) => {
    const { message, duplicate } = await sendMessage(createContext(viewer, undefined, undefined, ids), input)
    const { seq, conversationId, messageId, clientMessageId, senderId, body, sentAtMs } = message
    const address = { id: messageNodeId(message), seq, conversationId, messageId, clientMessageId }
    return { message: { ...address, senderId, body, sentAt: new Date(sentAtMs).toISOString() }, duplicate }
  }
