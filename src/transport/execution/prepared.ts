import type { GraphQLError } from 'graphql'
import type { Variables } from '../../engine/graphql/compiled-variables.ts'
import type { OperationIds } from '../../observability/operation-ids.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import type { Plan } from './plans.ts'

/** Fresh for each operation. `stream` is the same for all events of one subscription, and undefined for all else. */
export type CreateContext = (viewer: Viewer | undefined, stream?: object, origin?: string, ids?: OperationIds) => object

/** What the transports know of an operation. Resolvers never see it: they get what `createContext` makes of the viewer. */
export type OperationContext = {
  transport: 'http' | 'ws'
  viewer?: Viewer | undefined
  /** This server's address, as the client has it. */
  origin?: string
  /** The client's. */
  address?: string
  /** Ends what the operation has started. */
  signal?: AbortSignal
  /** For the log. */
  ids?: OperationIds
  /** Whose trace it continues. */
  traceparent?: unknown
}

/** An operation that may run: its document is valid, and it can be afforded. */
export type Prepared = {
  plan: Plan
  variables: Readonly<Variables> | null | undefined
  context: OperationContext
}

/** An operation that may not run, and why. The errors are mapped, and written to the log. */
export type Refusal = { readonly errors: readonly GraphQLError[] }
