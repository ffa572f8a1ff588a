import { lexicographicSortSchema, printSchema } from 'graphql'
import { builder } from './builder.ts'
import './date-time.ts'
import './user.ts'
import './ticks.ts'
import './conversation.ts'
import './message.ts'
import './message-change.ts'
import './typing.ts'
import './upload.ts'

export const schema = builder.toSchema()

/** What is committed as schema.graphql. */
export const printedSchema = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`
