import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql'
import type { Context } from './context.ts'

/**
 * The root fields of a mutation run one after the other in one context, and loaders remember. So every field begins with loaders of its
 * own: it is judged by memberships as they are when it runs, not when the document began. What it was judged by is from before it
 * ran, and it may have taken its time: its payload asks for memberships again.
 *
 * This is done to the schema, so that it holds for whatever executes a document. The fields of a query run at once, so they are all
 * of one moment, and share their loaders.
 */
export function judgeEachMutationAnew(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field as { resolve?: GraphQLFieldResolver<unknown, Context> }
    if (resolve) field.resolve = anew(resolve)
  }
}

const anew =
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
