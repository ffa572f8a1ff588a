import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import {
  type Compiled,
  type CompileOptions,
  compiledFieldsMax,
  compileOperation,
} from '../../engine/graphql/compiled-operation.ts'
import { charge, type Loading } from '../../shared/load-budget.ts'
import { rootFieldsOf } from '../documents/document-shape.ts'
import { tokensIn } from '../documents/documents.ts'

/** Which executor runs operations. With either name, graphql-js executes those that cannot be compiled. */
export type ExecutorName = 'compiled' | 'reference'

/** An operation of a document, and how it is executed. */
export type Plan = {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly operationName: string | undefined
  readonly name: string | undefined
  readonly type: 'query' | 'mutation' | 'subscription'
  /** How many root fields it has at most, see `rootFieldsOf`. */
  readonly rootFields: number
  /**
   * This is undefined if graphql-js executes the operation. It is decided once, when it is first asked for: by then the document is known
   * to be valid, and the operation to be affordable.
   */
  readonly compiled: Compiled | undefined
}

export type PlanOf = (document: DocumentNode, operationName: string | null | undefined) => Plan | undefined

/**
 * What is compiled is kept as long as its document, and documents are kept by their tokens. So the operations of a document have together as
 * many compiled fields as it has tokens: a short document of many operations that share doubling fragments would otherwise take megabytes.
 */
type DocumentPlans = { byName: Map<string | undefined, Plan>; fieldsLeft: number }

/** Plans are kept as long as their documents. There is none if the document has no such operation. */
export function createPlans(
  schema: GraphQLSchema,
  executor: ExecutorName = 'compiled',
  options: CompileOptions = {},
): PlanOf {
  const plansOf = new WeakMap<DocumentNode, DocumentPlans>()

  function compile(document: DocumentNode, operation: OperationDefinitionNode): Compiled | undefined {
    const plans = plansOf.get(document)
    if (executor === 'reference' || !plans) return undefined
    const { fieldsLeft: fieldsMax } = plans
    const compiled = compileOperation(schema, fragmentsOf(document), operation, { loads, fieldsMax, ...options })
    plans.fieldsLeft -= compiled?.fieldCount ?? 0
    return compiled
  }

  return (document, operationName) => {
    const plans = plansOf.get(document) ?? {
      byName: new Map(),
      fieldsLeft: Math.min(compiledFieldsMax, tokensIn(document)),
    }
    plansOf.set(document, plans)
    const { byName: known } = plans
    // An empty name is a name too, but no operation has it.
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

/** The context of each operation counts what it loads, see shared/load-budget.ts. */
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
