import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql'
import { ChatError } from '../../protocol/errors.ts'
import type { AdminContext } from './context.ts'

/** What is kept of a mutation. It has no text, name or metadata. `as` is the user on whose behalf it was, `outcome` OK or the code of the error. */
export type AuditLine = { mutation: string; ids: Readonly<Record<string, unknown>>; as?: string; outcome: string }
export type Audit = (line: AuditLine) => void

/** The parts of an input that say what a mutation is about. */
const kept = new Set([
  ...['id', 'userId', 'ownerId', 'memberIds', 'add', 'remove', 'conversationId', 'seq'],
  ...['clientMessageId', 'clientGroupId', 'webhookId', 'reportId'],
  ...['until', 'issuedBefore', 'sentAt', 'silent', 'days', 'enabled', 'failedOnly'],
])

/** Writes one line for each mutation when it has ended. The schema itself is changed, so that no mutation can be forgotten. */
export function auditMutations(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field as { resolve?: GraphQLFieldResolver<unknown, AdminContext> }
    if (resolve) field.resolve = audited(field.name, resolve)
  }
}

const audited =
  (
    mutation: string,
    resolve: GraphQLFieldResolver<unknown, AdminContext>,
  ): GraphQLFieldResolver<unknown, AdminContext> =>
  async (source, args: { input?: Record<string, unknown> }, ctx, info) => {
    const { input = {} } = args
    const about = { mutation, ids: idsOf(input), ...(typeof input.as === 'string' && { as: input.as }) }
    try {
      const value: unknown = await resolve(source, args, ctx, info)
      ctx.audit({ ...about, outcome: 'OK' })
      return value
    } catch (error) {
      ctx.audit({ ...about, outcome: error instanceof ChatError ? error.code : 'INTERNAL' })
      throw error
    }
  }

/** Returns the ids in an input, with those of the recipient and of the users of upsertUsers, which are objects themselves. */
function idsOf(input: Record<string, unknown>): Record<string, unknown> {
  const ids = Object.entries(input).filter(([name, value]) => kept.has(name) && value != null)
  const { to, users } = input
  return {
    ...Object.fromEntries(ids),
    ...(isObject(to) && { to: idsOf(to) }),
    ...(Array.isArray(users) && { users: users.filter(isObject).map(({ id }) => id) }),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
