import { type GraphQLFieldConfig, GraphQLObjectType, GraphQLSchema } from 'graphql'

/** The root value of a second execution: it holds the root field's value, so that its resolver is not called again. */
export class Replay {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

/**
 * Makes a schema whose root fields return the value of the `Replay` that is its root value. All other types are those of the given schema,
 * none of which may lead back to a root type.
 */
export function createReplaySchema(schema: GraphQLSchema): GraphQLSchema {
  const config = schema.toConfig()
  const roots = [config.query, config.mutation, config.subscription]
  return new GraphQLSchema({
    ...config,
    query: replayOf(config.query),
    mutation: replayOf(config.mutation),
    subscription: undefined,
    types: config.types.filter((type) => !roots.includes(type as GraphQLObjectType)),
    assumeValid: true,
  })
}

function replayOf(type: GraphQLObjectType | null | undefined): GraphQLObjectType | undefined {
  if (!type) return undefined
  const config = type.toConfig()
  const fields = Object.entries(config.fields).map(([name, field]) => [name, { ...field, resolve: replay }])
  return new GraphQLObjectType({ ...config, fields: Object.fromEntries(fields) })
}

const replay: NonNullable<GraphQLFieldConfig<Replay, unknown>['resolve']> = ({ value }) => value
