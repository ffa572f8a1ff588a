import { directConversationId } from '../../src/domain/conversations/conversation-id.ts'
import type { UserId } from '../../src/protocol/ids.ts'
import type { Subject } from '../bench.ts'
import { body, sendMessage } from './documents.ts'
import { type Account, ask, openGraphQLSocket } from './graphql-socket.ts'
import { accountOf } from './tokens.ts'

/** A chat of two people on a GraphQL server, with some messages in it. */
export async function chatOf(
  { who, port }: Subject,
  name: string,
  messages: number,
): Promise<{ alice: Account; conversationId: string }> {
  const [alice, bob] = [accountOf(`a-${name}`), accountOf(`b-${name}`)]
  const isOurs = who === 'parley'
  const conversationId = isOurs ? directConversationId(alice.userId as UserId, bob.userId as UserId) : name
  const socket = await openGraphQLSocket(port, alice)
  for (let i = 0; i < messages; i += 1) {
    const to = isOurs ? { userId: bob.userId } : { conversationId }
    await ask(socket, sendMessage, { input: { clientMessageId: `${name}-${process.pid}-${i}`, to, body } })
  }
  socket.close()
  return { alice, conversationId }
}
