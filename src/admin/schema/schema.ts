import { lexicographicSortSchema, printSchema } from 'graphql'
import { auditMutations } from '../resolvers/audit.ts'
import { builder } from './builder.ts'
import './user.ts'
import './ban.ts'
import './conversation.ts'
import './message.ts'
import './event.ts'
import './webhook.ts'
import './report.ts'
import './task.ts'

export const adminSchema = builder.toSchema()

auditMutations(adminSchema)

/** The text that is committed as admin-schema.graphql. */
export const printedAdminSchema = (): string => `${printSchema(lexicographicSortSchema(adminSchema))}\n`
