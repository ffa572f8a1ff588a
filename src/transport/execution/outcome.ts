import type { ExecutionResult, GraphQLError } from 'graphql'
import type { Answer } from '../../engine/graphql/answer.ts'
import type { OperationIds } from '../../observability/operation-ids.ts'
import type { Operation } from '../../observability/operation-log.ts'
import type { Tracing } from '../../observability/tracing.ts'
import type { ErrorMapper, Problem } from './errors.ts'
import type { Plan } from './plans.ts'
import type { OperationContext } from './prepared.ts'

const noIds: OperationIds = {}

/** Reports every operation alike: its errors to the client, its outcome to logs, metrics and traces. */
export type Outcome = ReturnType<typeof createOutcome>

export function createOutcome(errors: ErrorMapper, tracing: Tracing | undefined) {
  const errorsOf = ({ ids }: OperationContext): ErrorMapper => errors.about(ids ?? noIds)
  const problemsOf = (list: readonly GraphQLError[] = []): Problem[] => list.map(errors.toProblem)

  return {
    errorsOf,
    problemsOf,
    mapErrors(context: OperationContext, result: ExecutionResult): ExecutionResult {
      if (!result.errors) return result
      const { toGraphQLError, toRequestError } = errorsOf(context)
      const map = 'data' in result ? toGraphQLError : toRequestError
      return { ...result, errors: result.errors.map(map) }
    },
    /** Makes the result of an operation that was not executed. */
    refused: (context: OperationContext, error: unknown): ExecutionResult => ({
      errors: [errorsOf(context).toRequestError(error)],
    }),
    /** This is undefined if no traces are sent. */
    traced:
      tracing &&
      (<T extends object>(operation: Operation, { traceparent }: OperationContext, work: () => Promise<T>) =>
        tracing.operation(operation, traceparent, work, (outcome) => problemsOf(errorsIn(outcome))[0]?.code)),
  }
}

export function operationOf({ name, type }: Plan, { transport, viewer, ids }: OperationContext): Operation {
  if (ids && viewer) ids.userId = viewer.userId
  return { name, type, transport, ids }
}

/** Returns the errors of an outcome of any kind. */
function errorsIn(outcome: object): readonly GraphQLError[] | undefined {
  const { result, errors } = outcome as Partial<Answer> & ExecutionResult
  return result?.errors ?? errors
}
