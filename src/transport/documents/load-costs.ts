// Has the fields of a schema charge what they load, see shared/load-budget.ts. It is done in the resolvers, which every execution
// calls, compiled or not: lists are charged by their length, times what is selected of an item down to the next list.

import {
  defaultFieldResolver,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { isPromise } from '../../engine/graphql/compiled-values.ts'
import { charge, type Loading, Overload } from '../../shared/load-budget.ts'
import type { FieldCosts } from './document-cost.ts'

type AnyField = GraphQLField<unknown, Loading>

const charged = new WeakSet<GraphQLSchema>()

/** `types` are those of the schema whose fields no other schema has made charge already. */
export function chargeLoads(
  schema: GraphQLSchema,
  fieldCosts: FieldCosts = {},
  types: readonly unknown[] = Object.values(schema.getTypeMap()),
): void {
  if (charged.has(schema)) return
  charged.add(schema)
  const itemCost = createItemCost(schema, fieldCosts)
  for (const type of types) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue
    for (const field of Object.values(type.getFields()) as AnyField[]) {
      const { charsPerCost } = fieldCosts[`${type.name}.${field.name}`] ?? {}
      if (isListType(getNullableType(field.type))) chargeItems(field, itemCost)
      else if (charsPerCost !== undefined) chargeChars(field, charsPerCost)
    }
  }
}

/** An operation that loads too much says so once, and not for each of the thousand lists that it was not given. */
export function withOneOverload(result: ExecutionResult): ExecutionResult {
  const first = result.errors?.find(isOverload)
  if (!first) return result
  return { ...result, errors: result.errors?.filter((each) => each === first || !isOverload(each)) ?? [] }
}

export const isOverload = ({ originalError }: GraphQLError): boolean => originalError instanceof Overload

function chargeItems(field: AnyField, itemCost: (info: GraphQLResolveInfo) => number): void {
  const { resolve = defaultFieldResolver } = field
  const counted = (list: unknown, context: Loading, info: GraphQLResolveInfo): unknown => {
    if (Array.isArray(list) && list.length > 0) charge(context, list.length * itemCost(info))
    return list
  }
  field.resolve = (source, args, context, info) => {
    const value: unknown = resolve(source, args, context, info)
    return isPromise(value) ? value.then((list) => counted(list, context, info)) : counted(value, context, info)
  }
}

/** Short texts are free: they are counted as a value already. */
function chargeChars(field: AnyField, charsPerCost: number): void {
  const { resolve = defaultFieldResolver } = field
  field.resolve = (source, args, context, info) => {
    const value: unknown = resolve(source, args, context, info)
    if (typeof value === 'string' && value.length >= charsPerCost) {
      charge(context, Math.floor(value.length / charsPerCost))
    }
    return value
  }
}

/** Returns what one item of a list costs; computed once for each field node. */
function createItemCost(schema: GraphQLSchema, fieldCosts: FieldCosts): (info: GraphQLResolveInfo) => number {
  const ofNodes = new WeakMap<FieldNode, number>()
  const ofFragments = new WeakMap<FragmentDefinitionNode, number>()
  type Fragments = GraphQLResolveInfo['fragments']

  function ofSelections({ selections }: SelectionSetNode, parent: GraphQLNamedType, fragments: Fragments): number {
    let sum = 0
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) sum += ofField(selection, parent, fragments)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) sum += ofFragment(fragments[selection.name.value], fragments)
      else {
        const type = schema.getType(selection.typeCondition?.name.value ?? parent.name) ?? parent
        sum += ofSelections(selection.selectionSet, type, fragments)
      }
    }
    return sum
  }

  function ofFragment(fragment: FragmentDefinitionNode | undefined, fragments: Fragments): number {
    const type = fragment && schema.getType(fragment.typeCondition.name.value)
    if (!fragment || !type) return 0
    const known = ofFragments.get(fragment)
    if (known !== undefined) return known
    const cost = ofSelections(fragment.selectionSet, type, fragments)
    ofFragments.set(fragment, cost)
    return cost
  }

  function ofField(node: FieldNode, parent: GraphQLNamedType, fragments: Fragments): number {
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined
    if (!field) return 1
    const weight = fieldCosts[`${parent.name}.${field.name}`]?.weight ?? 1
    return isListType(getNullableType(field.type)) ? weight : weight + below(node, getNamedType(field.type), fragments)
  }

  const below = ({ selectionSet }: FieldNode, type: GraphQLNamedType, fragments: Fragments): number =>
    selectionSet && isCompositeType(type) ? ofSelections(selectionSet, type, fragments) : 0

  function ofNode(node: FieldNode, { returnType, fragments }: GraphQLResolveInfo): number {
    const known = ofNodes.get(node)
    if (known !== undefined) return known
    const cost = below(node, getNamedType(returnType), fragments)
    ofNodes.set(node, cost)
    return cost
  }

  return (info) => {
    let sum = 1
    for (const node of info.fieldNodes) sum += ofNode(node, info)
    return sum
  }
}
