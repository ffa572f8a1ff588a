// Computes what an operation costs before it runs: about the number of values it may answer with, and more for what has to be read for
// them. A document is compiled once to a sum over its variables; a request only evaluates that sum.

import {
  type DocumentNode,
  type ExecutionArgs,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isCompositeType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'
import { defaultsOf, itemsIn, pageSize } from './cost-arguments.ts'
import { type Cost, evaluate, memoised, plus, type Scope, times } from './cost-terms.ts'
import { tooComplex } from './document-guard.ts'

/** The cost of one field, by `Type.field`. A field that is not listed costs 1. */
type FieldCost = {
  /** The cost of the field itself, regardless of what is selected below it. */
  weight?: number
  /** The cost of each item of a page, for what is read whether it is selected or not. */
  perItem?: number
  /** How many items a list without pages is assumed to hold. */
  items?: number
  /** How many items it may hold at most. This number counts below a field that `repeats`. */
  itemsMax?: number
  /** Whether the field leads back from the items of a list to an object that they share, which is then repeated for each item. */
  repeats?: boolean
  /** A text costs 1 more for each so many characters. */
  charsPerCost?: number
}
export type FieldCosts = Readonly<Record<string, FieldCost>>

/** Throws QUERY_TOO_COMPLEX for an operation beyond the budget. The document must be valid. */
export type CheckCost = (args: Pick<ExecutionArgs, 'document' | 'operationName' | 'variableValues'>) => void

const costMax = 50_000
/** The cost of a mutation or subscription field. */
const rootWeight = 50
const pageWeight = 50
const pageItemWeight = 10
const listItems = 4

export function createCheckCost(schema: GraphQLSchema, fieldCosts: FieldCosts = {}): CheckCost {
  const known = new WeakMap<OperationDefinitionNode, CompiledCost>()
  return ({ document, operationName, variableValues }) => {
    const operation = getOperationAST(document, operationName)
    if (!operation) return
    let compiled = known.get(operation)
    if (!compiled) {
      compiled = compile(schema, fieldCosts, document, operation)
      known.set(operation, compiled)
    }
    const cost = evaluate(compiled.cost, scopeOf(compiled, variableValues))
    if (cost > costMax) throw tooComplex(tooExpensiveMessage(cost))
  }
}

const tooExpensiveMessage = (cost: number): string =>
  `An operation costs at most ${costMax}, this one ${cost < 1e9 ? Math.ceil(cost) : 'far more'}: ` +
  'ask for smaller pages, or for less of each item.'

type CompiledCost = { cost: Cost; defaults: ReadonlyMap<string, unknown> }

function scopeOf({ defaults }: CompiledCost, variables: ExecutionArgs['variableValues']): Scope {
  const given = variables ?? {}
  return {
    variable: (name) => (Object.hasOwn(given, name) ? given[name] : defaults.get(name)),
    memo: [],
  }
}

/** `each` counts once per item of the page that the selection is made on. */
type Selected = { once: Cost; each: Cost }

const nothing: Selected = { once: 0, each: 0 }

function compile(
  schema: GraphQLSchema,
  fieldCosts: FieldCosts,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledCost {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const each of document.definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each)
  }
  const spreads = new Map<string, Selected>()
  let slots = 0

  /** Computes a fragment once, however often it is spread: fragments of fragments would double the work at each level. */
  function ofFragment(name: string, repeated: boolean): Selected {
    const key = `${name} ${repeated}`
    const found = spreads.get(key)
    if (found) return found
    spreads.set(key, nothing)
    const fragment = fragments.get(name)
    const type = fragment && schema.getType(fragment.typeCondition.name.value)
    const { once, each } = fragment && type ? ofSelections(fragment.selectionSet, type, repeated) : nothing
    const shared = { once: memoised(once, slots), each: memoised(each, slots + 1) }
    slots += 2
    spreads.set(key, shared)
    return shared
  }

  function ofSelections({ selections }: SelectionSetNode, parent: GraphQLNamedType, repeated: boolean): Selected {
    let sum = nothing
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) sum = add(sum, ofField(selection, parent, repeated))
      else if (selection.kind === Kind.FRAGMENT_SPREAD) sum = add(sum, ofFragment(selection.name.value, repeated))
      else {
        const condition = selection.typeCondition?.name.value
        const type = condition === undefined ? parent : (schema.getType(condition) ?? parent)
        sum = add(sum, ofSelections(selection.selectionSet, type, repeated))
      }
    }
    return sum
  }

  function ofField(node: FieldNode, parent: GraphQLNamedType, repeated: boolean): Selected {
    const field = fieldOf(schema, parent, node.name.value)
    if (!field) return { once: 1, each: 0 }
    const cost = fieldCosts[`${parent.name}.${field.name}`] ?? {}
    const type = getNamedType(field.type)
    const isPage = hasPages(type)
    const below =
      node.selectionSet && isCompositeType(type)
        ? ofSelections(node.selectionSet, type, repeated || cost.repeats === true)
        : nothing
    const weight = cost.weight ?? (isPage ? pageWeight : isMutationOrSubscription(schema, parent) ? rootWeight : 1)
    const own = plus(weight, itemsIn(node, field))
    if (isPage) {
      const size = pageSize(node)
      return {
        once: plus(plus(own, below.once), times(size, plus(cost.perItem ?? pageItemWeight, below.each))),
        each: 0,
      }
    }
    if (!isListType(getNullableType(field.type))) return { once: plus(own, below.once), each: 0 }
    const item = plus(1, below.once)
    if (hasPages(parent)) return { once: own, each: item }
    const { items = itemsOf(schema, field.name, parent), itemsMax = items } = cost
    return { once: plus(own, times(repeated ? itemsMax : items, item)), each: 0 }
  }

  const root = schema.getRootType(operation.operation)
  const { once } = root ? ofSelections(operation.selectionSet, root, false) : nothing
  return { cost: once, defaults: defaultsOf(operation) }
}

const add = (a: Selected, b: Selected): Selected => ({ once: plus(a.once, b.once), each: plus(a.each, b.each) })

function fieldOf(
  schema: GraphQLSchema,
  parent: GraphQLNamedType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name && parent === schema.getQueryType()) return SchemaMetaFieldDef
  if (name === TypeMetaFieldDef.name && parent === schema.getQueryType()) return TypeMetaFieldDef
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
}

/** Whether the type is a connection, in Relay's sense. */
const hasPages = (type: GraphQLNamedType): boolean =>
  isObjectType(type) && 'edges' in type.getFields() && 'pageInfo' in type.getFields()

const isMutationOrSubscription = (schema: GraphQLSchema, parent: GraphQLNamedType): boolean =>
  parent === schema.getMutationType() || parent === schema.getSubscriptionType()

/** Introspection lists many types, but each type has few fields and values on average. */
function itemsOf(schema: GraphQLSchema, name: string, parent: GraphQLNamedType): number {
  if (!isIntrospectionType(parent)) return listItems
  return parent.name === '__Schema' && name === 'types' ? Object.keys(schema.getTypeMap()).length : 2
}
