import { lexicographicSortSchema, printSchema } from 'graphql'
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

/** What is committed as schema.graphql. */
export const printedSchema = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`
