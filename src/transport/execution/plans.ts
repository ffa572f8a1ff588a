import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import { type Compiled, compileOperation } from '../../engine/graphql/compiled-operation.ts'
import type { ShareOf } from '../../engine/graphql/shared-answers.ts'
import { rootFieldsOf } from '../documents/document-shape.ts'

/** An operation of a valid document, and what was made of it so far. */
export type Plan = {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly operationName: string | undefined
  readonly name: string | undefined
  readonly type: 'query' | 'mutation' | 'subscription'
  /** At most, see `rootFieldsOf`. */
  readonly rootFields: number
  /** From the second time on: most documents that come once never come again. Undefined for what graphql-js executes itself. */
  compiled(): Compiled | undefined
  /** Of a subscription: which of its events are the same for several. Undefined where none is. */
  readonly shareOf: ShareOf | undefined
}

export type PlanOf = (document: DocumentNode, operationName: string | null | undefined) => Plan | undefined

/** Kept as long as the document is. Undefined where the document has no such operation. */
export function createPlans(schema: GraphQLSchema): PlanOf {
  const plans = new WeakMap<DocumentNode, Map<string, Plan>>()

  function planOf(document: DocumentNode, operationName: string | undefined): Plan | undefined {
    const operation = getOperationAST(document, operationName)
    if (!operation) return undefined
    let isNew = true
    let compiled: Compiled | undefined
    let isCompiled = false
    return {
      document,
      operation,
      operationName,
      name: operation.name?.value,
      type: operation.operation,
      rootFields: rootFieldsOf(document, operation),
      get shareOf() {
        return compiled?.canBeShared ? compiled.shareOf : undefined
      },
      compiled() {
        // A subscription has many events.
        if (isNew && operation.operation !== 'subscription') {
          isNew = false
          return undefined
        }
        if (!isCompiled) compiled = compileOperation(schema, fragmentsOf(document), operation)
        isCompiled = true
        return compiled
      },
    }
  }

  return (document, operationName) => {
    let known = plans.get(document)
    if (!known) {
      known = new Map()
      plans.set(document, known)
    }
    const key = operationName ?? ''
    const found = known.get(key)
    if (found) return found
    const plan = planOf(document, operationName ?? undefined)
    if (plan) known.set(key, plan)
    return plan
  }
}

function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  )
}
