// Turns the parameters of a request into an operation that may run. HTTP and WebSocket both use it.

import { GraphQLError } from 'graphql'
import type { Variables } from '../../engine/graphql/compiled-variables.ts'
import type { OperationLog } from '../../observability/operation-log.ts'
import { ChatError } from '../../protocol/errors.ts'
import type { CheckCost } from '../documents/document-cost.ts'
import type { Documents } from '../documents/documents.ts'
import type { PersistedOperations } from '../documents/persisted-operations.ts'
import { type RequestParams, readParams } from '../documents/request-params.ts'
import { type ErrorMapper, HttpRefusal } from './errors.ts'
import type { PlanOf } from './plans.ts'
import type { OperationContext, Prepared, Refusal } from './prepared.ts'

export type PrepareOptions = {
  documents: Documents
  persisted: PersistedOperations
  checkCost: CheckCost
  planOf: PlanOf
  errors: ErrorMapper
  log: OperationLog
}

/** Reads the parameters, finds the document, validates it, finds the plan of the operation, and checks its cost. */
export type Prepare = (params: RequestParams, context: OperationContext) => Prepared | Refusal

export function createPrepare({ documents, persisted, checkCost, planOf, errors, log }: PrepareOptions): Prepare {
  function refuse({ operationName }: RequestParams, { transport, ids }: OperationContext, list: readonly unknown[]) {
    const refused = list.map(errors.about(ids ?? {}).toRequestError)
    // The same line as Yoga's refusals leave in the log, where the name of the operation is not known yet.
    const name = transport === 'ws' && typeof operationName === 'string' ? operationName : undefined
    log({ name, type: 'unknown', transport, ids })(refused.map(errors.toProblem))
    return { errors: refused }
  }

  return (params, context) => {
    try {
      const { query } = readParams(params, persisted)
      if (typeof query !== 'string') throw new HttpRefusal(400, 'Must provide query string.')
      const document = documents.parse(query)
      const operationName = params.operationName as string | null | undefined
      const plan = planOf(document, operationName)
      // Yoga looks for the operation before it validates. What HTTP answers does not depend on which of the two answers.
      if (!plan && context.transport === 'http') throw unresolvedOperation()
      const invalid = documents.validate(document)
      if (invalid.length > 0) return refuse(params, context, invalid)
      if (!plan) throw unknownOperation()
      const variables = params.variables as Variables | null | undefined
      checkCost({ document, operationName, variableValues: variables })
      return { plan, variables, context }
    } catch (error) {
      return refuse(params, context, [error])
    }
  }
}

const unknownOperation = () =>
  new ChatError('GRAPHQL_VALIDATION_FAILED', 'Expected operationName to be the name of one of the operations.')

/** Uses Yoga's own message. */
const unresolvedOperation = () =>
  new GraphQLError('Could not determine what operation to execute.', {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE' },
  })
