import { type GraphQLFieldResolver, type GraphQLObjectType, lexicographicSortSchema, printSchema } from 'graphql'
import type { Member } from '../domain/conversations/access.ts'
import { sameForAll } from '../engine/graphql/sharing.ts'
import type { Message } from '../ports/log.ts'
import { messageNodeId } from '../protocol/ids.ts'
import { judgeEachMutationAnew } from '../resolvers/mutation-fields.ts'
import type { User } from '../resolvers/users.ts'
import { builder } from './builder.ts'
import './date-time.ts'
import './user.ts'
import './ticks.ts'
import './conversation.ts'
import './group.ts'
import './conversation-settings.ts'
import './conversation-changed.ts'
import './message.ts'
import './message-change.ts'
import './typing.ts'
import './presence-changed.ts'
import './profile.ts'
import './blocking.ts'
import './upload.ts'
import './device.ts'

export const schema = builder.toSchema()

// The plugin's ids are promises, since some have to be encoded. Ours are at hand.
const ids: Record<string, GraphQLFieldResolver<never, unknown>> = {
  User: ({ id }: User) => id,
  Conversation: ({ conversation }: Member) => conversation.id,
  Message: (message: Message) => messageNodeId(message),
}
for (const [name, resolve] of Object.entries(ids)) {
  Object.assign((schema.getType(name) as GraphQLObjectType).getFields().id as object, sameForAll, { resolve })
}

judgeEachMutationAnew(schema)

/** What is committed as schema.graphql. */
export const printedSchema = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`
