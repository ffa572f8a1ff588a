// Every GraphQL operation goes this way, whether it came by HTTP, SSE or WebSocket: `prepare`, then `execute` or `subscribe`.

import type { GraphQLSchema } from 'graphql'
import type { PersistedSettings } from '../../config/config.ts'
import type { Metrics } from '../../observability/metrics.ts'
import type { OperationIds } from '../../observability/operation-ids.ts'
import type { OperationLog } from '../../observability/operation-log.ts'
import type { Tracing } from '../../observability/tracing.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RefusedViewers } from '../../ports/restrictions.ts'
import { createCheckCost, type FieldCosts } from '../documents/document-cost.ts'
import { createDocuments, type Documents } from '../documents/documents.ts'
import { createPersistedOperations, type PersistedOperations } from '../documents/persisted-operations.ts'
import type { Admission } from '../limits/admission.ts'
import type { ConnectionLimits } from '../limits/connection-limits.ts'
import type { ErrorMapper } from './errors.ts'
import { createExecute, type Execute } from './execute.ts'
import type { Operations } from './operations.ts'
import { createOutcome } from './outcome.ts'
import { createPlans, type ExecutorName } from './plans.ts'
import { createPrepare, type Prepare } from './prepare.ts'
import type { CreateContext } from './prepared.ts'
import { createReference } from './reference.ts'
import { createSubscribe, type Subscribe } from './subscribe.ts'

type GraphQLOptions = {
  schema: GraphQLSchema
  /** Makes a new one each time: loaders must not outlive the operation, nor the event of a subscription. */
  createContext: CreateContext
  config: { introspection: boolean; persistedOperations?: PersistedSettings; graphqlExecutor: ExecutorName }
  operations: Operations
  errors: ErrorMapper
  log: OperationLog
  metrics: Metrics
  admission: Admission
  connectionLimits: ConnectionLimits
  refusedViewers: RefusedViewers
  clock: Clock
  /** Called with each event of a subscription that is handed to its connection. */
  onDelivery?: (event: unknown, ids: OperationIds) => void
  tracing?: Tracing
  /** Fields that cost more than the values they show. */
  fieldCosts?: FieldCosts
}

export type GraphQL = Subscribe & {
  prepare: Prepare
  execute: Execute
  /** Yoga uses these two, as it goes through the steps of `prepare` one by one. */
  documents: Documents
  persisted: PersistedOperations
}

export function createGraphQL(options: GraphQLOptions): GraphQL {
  const { schema, config, errors, fieldCosts } = options
  const documents = createDocuments(schema, config)
  const persisted = createPersistedOperations(schema, config.persistedOperations)
  const reference = createReference({ ...options, hideSuggestions: !config.introspection })
  const planOf = createPlans(schema, config.graphqlExecutor)
  const outcome = createOutcome(errors, options.tracing)
  const parts = { ...options, reference, outcome, onDelivery: options.onDelivery }
  return {
    documents,
    persisted,
    prepare: createPrepare({
      ...options,
      documents,
      persisted,
      planOf,
      checkCost: createCheckCost(schema, fieldCosts),
    }),
    execute: createExecute(parts),
    ...createSubscribe(parts),
  }
}
