import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, execute, type GraphQLSchema } from 'graphql'
import type { Variables } from '../../engine/graphql/compiled-variables.ts'
import type { FieldCosts } from '../documents/document-cost.ts'
import { chargeLoads, withOneOverload } from '../documents/load-costs.ts'
import type { CreateContext, OperationContext, Prepared } from './prepared.ts'
import { createReplaySchema, Replay } from './replay.ts'

export type ReferenceOptions = {
  schema: GraphQLSchema
  /** Makes a new one each time: loaders must not outlive the operation, nor the event of a subscription. */
  createContext: CreateContext
  /** Fields that cost more than the values they show. */
  fieldCosts?: FieldCosts
  /** Whether errors about variables suggest no names of the schema. */
  hideSuggestions?: boolean
}

/** Executes by graphql-js what is not compiled, and what failed when it was compiled, so that error messages are graphql-js's own. */
export type Reference = {
  contextFor(context: OperationContext, stream?: object): object
  execute(prepared: Prepared): Promise<ExecutionResult>
  /** Executes as `execute` does, with this value of the root field, whose resolver is not called again. */
  replay(prepared: Prepared, value: unknown): Promise<ExecutionResult>
  /** Executes a subscription for an event. */
  executeEvent(prepared: Prepared, event: unknown, stream: object): Promise<ExecutionResult>
  /** Opens the source of a subscription. */
  subscribe(prepared: Prepared): Promise<AsyncIterable<unknown> | ExecutionResult>
}

/** Each of these errors shows the whole value again. */
const coercionErrorsMax = 3

export function createReference(options: ReferenceOptions): Reference {
  const { schema, createContext, fieldCosts, hideSuggestions = false } = options
  let replaySchema: GraphQLSchema | undefined
  chargeLoads(schema, fieldCosts)

  const contextFor = ({ viewer, origin, ids }: OperationContext, stream?: object): object =>
    createContext(viewer, stream, origin, ids)

  const argsOf = ({ plan, variables, context }: Prepared, rootValue?: unknown, stream?: object): ExecutionArgs => ({
    schema,
    document: plan.document,
    operationName: plan.operationName,
    variableValues: variables as Variables,
    rootValue,
    contextValue: contextFor(context, stream),
    hideSuggestions,
    options: { maxCoercionErrors: coercionErrorsMax },
  })

  /** Makes the schema when it is first needed. Lists that its root fields return are charged too, because the context is a new one. */
  function replaying(): GraphQLSchema {
    if (replaySchema) return replaySchema
    replaySchema = createReplaySchema(schema)
    chargeLoads(replaySchema, fieldCosts, [replaySchema.getQueryType(), replaySchema.getMutationType()])
    return replaySchema
  }

  return {
    contextFor,
    execute: async (prepared) => withOneOverload(await execute(argsOf(prepared))),
    replay: async (prepared, value) =>
      withOneOverload(await execute({ ...argsOf(prepared, new Replay(value)), schema: replaying() })),
    executeEvent: async (prepared, event, stream) => withOneOverload(await execute(argsOf(prepared, event, stream))),
    subscribe: (prepared) => createSourceEventStream(argsOf(prepared)),
  }
}
