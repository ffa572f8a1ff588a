import { type GraphQLFieldResolver, type GraphQLObjectType, lexicographicSortSchema, printSchema } from 'graphql'
import type { Member } from '../domain/conversations/access.ts'
import { sameForAll } from '../engine/graphql/sharing.ts'
import type { Message } from '../ports/log.ts'
import { messageNodeId } from '../protocol/ids.ts'
import { ticksNodeId } from '../protocol/member-node-ids.ts'
import type { MemberBoundaries } from '../protocol/ticks.ts'
import { type GroupMember, memberNodeIdOf } from '../resolvers/conversations/groups.ts'
import { renewLoadersForEachMutationField } from '../resolvers/mutation-fields.ts'
import type { User } from '../resolvers/people/users.ts'
import { builder } from './builder.ts'
import './date-time.ts'
import './json.ts'
import './people/user.ts'
import './messages/ticks.ts'
import './conversations/ticks-conversation.ts'
import './conversations/conversation.ts'
import './conversations/group.ts'
import './conversations/conversation-facts.ts'
import './conversations/conversation-settings.ts'
import './conversations/conversation-changed.ts'
import './conversations/conversation-updated.ts'
import './error-code.ts'
import './messages/message.ts'
import './messages/message-change.ts'
import './conversations/typing.ts'
import './people/presence-changed.ts'
import './people/profile.ts'
import './people/blocked-users.ts'
import './people/blocking.ts'
import './people/report.ts'
import './messages/upload.ts'
import './people/device.ts'

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
