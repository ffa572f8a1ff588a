import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'
import { pageDefault, pageMax } from '../../protocol/limits.ts'
import { type Cost, plus, times } from './cost-terms.ts'

/** Returns how many items of a page are asked for. The resolver refuses a number that is out of range, with a better message. */
export function pageSize({ arguments: given = [] }: FieldNode): Cost {
  const [first, last] = [askedIn(given, 'first'), askedIn(given, 'last')]
  if (typeof first !== 'function' && typeof last !== 'function') return sizeOf(first, last)
  return (scope) =>
    sizeOf(
      typeof first === 'function' ? first(scope.variable) : first,
      typeof last === 'function' ? last(scope.variable) : last,
    )
}

const itemWeight = 5

/** Returns the cost of the items in a field's list arguments: each is checked, and most are looked up. */
export function itemsIn({ arguments: given = [] }: FieldNode, field: GraphQLField<unknown, unknown>): Cost {
  let sum: Cost = 0
  for (const { name, value } of given) {
    const argument = field.args.find((each) => each.name === name.value)
    if (argument && holdsList(argument.type)) sum = plus(sum, times(itemWeight, itemsOfNode(value)))
  }
  return sum
}

/** Returns the values of the variables that a request does not give. */
export function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): ReadonlyMap<string, unknown> {
  const defaults = new Map<string, unknown>()
  for (const { variable, defaultValue } of variableDefinitions) {
    if (defaultValue) defaults.set(variable.name.value, valueFromASTUntyped(defaultValue))
  }
  return defaults
}

type Variable = (name: string) => unknown

function askedIn(given: readonly ArgumentNode[], name: string): unknown | ((variable: Variable) => unknown) {
  const node = given.find((each) => each.name.value === name)?.value
  if (node?.kind === Kind.INT) return Number(node.value)
  if (node?.kind !== Kind.VARIABLE) return undefined
  return (variable: Variable) => variable(node.name.value)
}

function sizeOf(first: unknown, last: unknown): number {
  const asked = [first, last].filter((each) => typeof each === 'number' && each > 0) as number[]
  return asked.length === 0 ? pageDefault : Math.min(Math.max(...asked), pageMax)
}

function itemsOfNode(node: ValueNode): Cost {
  if (node.kind === Kind.VARIABLE) return (scope) => itemsOfValue(scope.variable(node.name.value))
  if (node.kind === Kind.LIST)
    return node.values.reduce<Cost>((sum, each) => plus(sum, itemsOfNode(each)), node.values.length)
  if (node.kind === Kind.OBJECT) return node.fields.reduce<Cost>((sum, { value }) => plus(sum, itemsOfNode(value)), 0)
  return 0
}

/** Recurses as deep as the value, whose nesting was limited before. */
function itemsOfValue(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let sum = 0
  if (Array.isArray(value)) {
    sum = value.length
    for (const each of value) sum += itemsOfValue(each)
  } else {
    for (const name in value) sum += itemsOfValue((value as Record<string, unknown>)[name])
  }
  return sum
}

const lists = new WeakMap<object, boolean>()

function holdsList(type: GraphQLInputType): boolean {
  if (isListType(getNullableType(type))) return true
  const named = getNamedType(type)
  if (!isInputObjectType(named)) return false
  const known = lists.get(named)
  if (known !== undefined) return known
  lists.set(named, false)
  const holds = Object.values(named.getFields()).some((field) => holdsList(field.type))
  lists.set(named, holds)
  return holds
}
