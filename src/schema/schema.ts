import { type GraphQLFieldResolver, type GraphQLObjectType, lexicographicSortSchema, printSchema } from 'graphql'
import type { Member } from '../domain/conversations/access.ts'
import { sameForAll } from '../engine/graphql/sharing.ts'
import type { Message } from '../ports/log.ts'
import { messageNodeId } from '../protocol/ids.ts'
import { ticksNodeId } from '../protocol/member-node-ids.ts'
import type { MemberBoundaries } from '../protocol/ticks.ts'
import { type GroupMember, memberNodeIdOf } from '../resolvers/groups.ts'
import { renewLoadersForEachMutationField } from '../resolvers/mutation-fields.ts'
import type { User } from '../resolvers/users.ts'
import { builder } from './builder.ts'
import './date-time.ts'
import './json.ts'
import './user.ts'
import './ticks.ts'
import './ticks-conversation.ts'
import './conversation.ts'
import './group.ts'
import './conversation-facts.ts'
import './conversation-settings.ts'
import './conversation-changed.ts'
import './conversation-updated.ts'
import './error-code.ts'
import './message.ts'
import './message-change.ts'
import './typing.ts'
import './presence-changed.ts'
import './profile.ts'
import './blocked-users.ts'
import './blocking.ts'
import './upload.ts'
import './device.ts'

export const schema = builder.toSchema()

// The plugin returns ids as promises, since some schemas encode them asynchronously. Ours need no encoding.
const ids: Record<string, GraphQLFieldResolver<never, unknown>> = {
  User: ({ id }: User) => id,
  Conversation: ({ conversation }: Member) => conversation.id,
  Message: (message: Message) => messageNodeId(message),
  Ticks: (ticks: MemberBoundaries) => ticksNodeId(ticks),
  Member: (member: GroupMember) => memberNodeIdOf(member),
}
for (const [name, resolve] of Object.entries(ids)) {
  Object.assign((schema.getType(name) as GraphQLObjectType).getFields().id as object, sameForAll, { resolve })
}

renewLoadersForEachMutationField(schema)

/** The text that is committed as schema.graphql. */
export const printedSchema = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`
