import { messageAddedAfter } from './documents.ts'
import type { GraphQLSocket } from './graphql-socket.ts'

/** A device that has nothing gets all messages of a chat. Returns how many. */
export const hearAll = (socket: GraphQLSocket, conversationId: string, stored: number): Promise<number> =>
  new Promise((resolve) => {
    let heard = 0
    socket.onText = (payload) => {
      if (payload.includes('"messageAdded"')) heard += 1
      if (heard === stored) resolve(heard)
    }
    socket.send(socket.operation('added', messageAddedAfter, { after: [{ conversationId, seq: 0 }] }))
  })
