import { defaultFieldResolver, type GraphQLSchema } from 'graphql'

/** As the root value of an execution: what the root field has come to already, so that it is not asked again. */
export class Replay {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

const prepared = new WeakSet<GraphQLSchema>()

/** Has the root fields of the schema look whether they are asked a second time. */
export function makeReplayable(schema: GraphQLSchema): void {
  if (prepared.has(schema)) return
  prepared.add(schema)
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      const { resolve = defaultFieldResolver } = field
      field.resolve = (source, args, context, info) =>
        source instanceof Replay ? source.value : resolve(source, args, context, info)
    }
  }
}
