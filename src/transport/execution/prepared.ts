import type { GraphQLError } from 'graphql'
import type { Variables } from '../../engine/graphql/compiled-variables.ts'
import type { OperationIds } from '../../observability/operation-ids.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import type { Plan } from './plans.ts'

/** Makes a new context for each operation. `stream` is the same for all events of one subscription, and undefined for other operations. */
export type CreateContext = (viewer: Viewer | undefined, stream?: object, origin?: string, ids?: OperationIds) => object

/** What the transports know of an operation. Resolvers never see it: they get what `createContext` makes of the viewer. */
export type OperationContext = {
  transport: 'http' | 'ws'
  viewer?: Viewer | undefined
  /** This server's address, as the client knows it. */
  origin?: string
  /** The client's address. */
  address?: string
  /** It aborts what the operation has started. */
  signal?: AbortSignal
  /** These are written to the log. */
  ids?: OperationIds
  /** The header that names the trace it continues. */
  traceparent?: unknown
}

/** An operation that may run: its document is valid, and its cost is within the budget. */
export type Prepared = {
  plan: Plan
  variables: Readonly<Variables> | null | undefined
  context: OperationContext
}

/** An operation that may not run, and why. The errors are mapped, and written to the log. */
export type Refusal = { readonly errors: readonly GraphQLError[] }
