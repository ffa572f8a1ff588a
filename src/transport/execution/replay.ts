import { type GraphQLFieldConfig, GraphQLObjectType, GraphQLSchema } from 'graphql'

/** As the root value of an execution: what the root field has come to already, so that it is not asked again. */
export class Replay {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

/**
 * A schema whose root fields give what they have come to already: its root value is a `Replay`. All other types are those of the given
 * schema, none of which may lead back to a root type.
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
