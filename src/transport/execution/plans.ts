import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import { type Compiled, type CompileOptions, compileOperation } from '../../engine/graphql/compiled-operation.ts'
import { charge, type Loading } from '../../shared/load-budget.ts'
import { rootFieldsOf } from '../documents/document-shape.ts'

/** Who executes operations: what they are compiled to, or graphql-js, which executes what cannot be compiled in either case. */
export type ExecutorName = 'compiled' | 'reference'

/** An operation of a document, and how it is executed. */
export type Plan = {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly operationName: string | undefined
  readonly name: string | undefined
  readonly type: 'query' | 'mutation' | 'subscription'
  /** At most, see `rootFieldsOf`. */
  readonly rootFields: number
  /**
   * Undefined for what graphql-js executes. It is chosen by what the document is, once, when it is first asked for: by then the document
   * is known to be valid, and the operation to be affordable.
   */
  readonly compiled: Compiled | undefined
}

export type PlanOf = (document: DocumentNode, operationName: string | null | undefined) => Plan | undefined

/** Kept as long as the document is. Undefined where the document has no such operation. */
export function createPlans(
  schema: GraphQLSchema,
  executor: ExecutorName = 'compiled',
  options: CompileOptions = {},
): PlanOf {
  const plans = new WeakMap<DocumentNode, Map<string | undefined, Plan>>()
  const compile = (document: DocumentNode, operation: OperationDefinitionNode): Compiled | undefined =>
    executor === 'reference'
      ? undefined
      : compileOperation(schema, fragmentsOf(document), operation, { loads, ...options })

  return (document, operationName) => {
    let known = plans.get(document)
    if (!known) {
      known = new Map()
      plans.set(document, known)
    }
    // An empty name is a name too, which no operation has.
    const name = operationName ?? undefined
    const found = known.get(name)
    if (found) return found
    const operation = getOperationAST(document, name)
    if (!operation) return undefined
    const plan = new OperationPlan(document, operation, name, compile)
    known.set(name, plan)
    return plan
  }
}

/** In the context of each operation, see shared/load-budget.ts. */
const loads = { loadedBy: (context: Loading) => context.loaded ?? 0, charge }

type Compile = (document: DocumentNode, operation: OperationDefinitionNode) => Compiled | undefined

class OperationPlan implements Plan {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly operationName: string | undefined
  readonly name: string | undefined
  readonly type: Plan['type']
  readonly rootFields: number
  readonly #compile: Compile
  #compiled: Compiled | undefined
  #isChosen = false

  constructor(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    operationName: string | undefined,
    compile: Compile,
  ) {
    this.document = document
    this.operation = operation
    this.operationName = operationName
    this.name = operation.name?.value
    this.type = operation.operation
    this.rootFields = rootFieldsOf(document, operation)
    this.#compile = compile
  }

  get compiled(): Compiled | undefined {
    if (!this.#isChosen) {
      this.#compiled = this.#compile(this.document, this.operation)
      this.#isChosen = true
    }
    return this.#compiled
  }
}

function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  )
}
