import { type ExecutionResult, graphql } from 'graphql'
import type { Ports } from '../../src/ports/ports.ts'
import type { UserId } from '../../src/protocol/ids.ts'
import { Context } from '../../src/resolvers/context.ts'
import { createCursors } from '../../src/resolvers/cursors.ts'
import { schema } from '../../src/schema/schema.ts'
import { memoryDomain } from './memory-domain.ts'
import { ApiError } from './person.ts'

// This is the API without a transport, on stores in memory. It is for tests of what resolvers decide.

export type MemoryApi = ReturnType<typeof memoryApi>

export function memoryApi(changed?: (ports: Ports) => Partial<Ports>) {
  const { domain, ports } = memoryDomain(changed)
  const cursors = createCursors([Buffer.from('a key')])
  let sent = 0

  const contextOf = (userId: string) =>
    new Context(domain, cursors, { userId: userId as UserId, name: userId, expiresAtMs: Number.MAX_SAFE_INTEGER })

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes.
  async function ask(userId: string, source: string, variables: object = {}): Promise<any> {
    const result: ExecutionResult = await graphql({
      schema,
      source,
      contextValue: contextOf(userId),
      variableValues: { ...variables },
    })
    const [error] = result.errors ?? []
    if (error?.originalError && 'code' in error.originalError) {
      const { code, details } = error.originalError as { code?: unknown; details?: object }
      throw new ApiError({ message: error.message, extensions: { code, ...details } })
    }
    if (error) throw error
    return JSON.parse(JSON.stringify(result.data))
  }

  return {
    domain,
    ports,
    contextOf,
    ask,

    /** Returns the conversation and the seq. */
    async send(userId: string, to: { userId: string } | { conversationId: string }, body: string, more: object = {}) {
      sent += 1
      const input = { clientMessageId: `m-${sent}`, to, body, ...more }
      const { sendMessage } = await ask(
        userId,
        'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { conversationId seq } } }',
        { input },
      )
      return sendMessage.message as { conversationId: string; seq: number }
    },

    /** Returns its id. */
    async createGroup(userId: string, memberIds: readonly string[], title = 'Tea'): Promise<string> {
      sent += 1
      const { createGroup } = await ask(
        userId,
        'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { conversation { id } } }',
        { input: { clientGroupId: `g-${sent}`, title, memberIds } },
      )
      return createGroup.conversation.id
    },

    updateMembers: (userId: string, conversationId: string, change: object) =>
      ask(
        userId,
        'mutation ($input: UpdateMembersInput!) { updateMembers(input: $input) { conversation { lastSeq } } }',
        { input: { conversationId, ...change } },
      ),
  }
}
