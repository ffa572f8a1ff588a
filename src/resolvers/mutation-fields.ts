import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql'
import type { Context } from './context.ts'

/**
 * The root fields of a mutation run one after the other in one context, and loaders remember. So every field begins with loaders of its
 * own: its access is checked by memberships as they are when it runs, not when the document began. These were read before it ran, and
 * it may have taken its time: so its payload reads memberships again.
 *
 * The schema itself is changed, so that it holds for every executor. The fields of a query run at once, so they share their loaders.
 */
export function renewLoadersForEachMutationField(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field as { resolve?: GraphQLFieldResolver<unknown, Context> }
    if (resolve) field.resolve = withFreshLoaders(resolve)
  }
}

const withFreshLoaders =
  (resolve: GraphQLFieldResolver<unknown, Context>): GraphQLFieldResolver<unknown, Context> =>
  (source, args, ctx, info) => {
    ctx.renewLoaders()
    const ran = (value: unknown) => {
      ctx.forgetMembers()
      return value
    }
    const value: unknown = resolve(source, args, ctx, info)
    return value instanceof Promise ? value.then(ran) : ran(value)
  }
