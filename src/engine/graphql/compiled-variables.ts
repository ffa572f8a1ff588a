// Compiles the variables of an operation to functions that coerce them. Values that graphql-js would refuse are refused here without a
// message: graphql-js then executes the operation, and its message counts.

import {
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from 'graphql'

export type Variables = Record<string, unknown>

/** Returns the variables as resolvers get them, or undefined if something is wrong with them. */
export type Coerce = (given: Readonly<Variables> | null | undefined) => Variables | undefined

const refused = Symbol('refused')
const nothing: Variables = Object.freeze({})

type CoerceValue = (value: unknown) => unknown

/** Returns undefined for variables that are left to graphql-js. */
export function compileVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): Coerce | undefined {
  const variables: { name: string; coerce: CoerceValue; initial: unknown; required: boolean }[] = []
  for (const { variable, type: typeNode, defaultValue } of variableDefinitions) {
    const type = typeFromAST(schema, typeNode as never) as unknown
    // A variable called __proto__ would not become a property of `coerced`.
    if (!isInputType(type) || variable.name.value === '__proto__') return undefined
    const initial = defaultValue && valueFromAST(defaultValue, type)
    if (defaultValue && initial === undefined) return undefined
    variables.push({ name: variable.name.value, coerce: coerceOf(type), initial, required: isNonNullType(type) })
  }
  if (variables.length === 0) return () => nothing
  return (given) => {
    const inputs = given ?? nothing
    const coerced: Variables = {}
    for (const { name, coerce, initial, required } of variables) {
      if (!Object.hasOwn(inputs, name)) {
        if (initial !== undefined) coerced[name] = initial
        else if (required) return undefined
        continue
      }
      const value = coerce(inputs[name])
      if (value === refused) return undefined
      coerced[name] = value
    }
    return coerced
  }
}

/** Types refer to each other, so each is compiled once. */
const known = new WeakMap<GraphQLInputType, CoerceValue>()

function coerceOf(type: GraphQLInputType): CoerceValue {
  const found = known.get(type)
  if (found) return found
  let made: CoerceValue | undefined
  const coerce: CoerceValue = (value) => {
    made ??= createCoerce(type)
    return made(value)
  }
  known.set(type, coerce)
  return coerce
}

function createCoerce(type: GraphQLInputType): CoerceValue {
  if (isNonNullType(type)) {
    const inner = coerceOf(type.ofType)
    return (value) => (value === null || value === undefined ? refused : inner(value))
  }
  const coerce = createCoerceGiven(type)
  return (value) => (value === null || value === undefined ? null : coerce(value))
}

function createCoerceGiven(type: GraphQLInputType): CoerceValue {
  if (isListType(type)) {
    const item = coerceOf(type.ofType)
    return (value) => {
      // A single item stands for a list of one; graphql-js handles other iterable values.
      if (typeof value === 'object' && !Array.isArray(value)) return refused
      const items: readonly unknown[] = Array.isArray(value) ? value : [value]
      const coerced = new Array<unknown>(items.length)
      for (let i = 0; i < items.length; i += 1) {
        const each = item(items[i])
        if (each === refused) return refused
        coerced[i] = each
      }
      return coerced
    }
  }
  if (isLeafType(type)) {
    return (value) => {
      try {
        const parsed = type.parseValue(value)
        return parsed === undefined ? refused : parsed
      } catch {
        return refused
      }
    }
  }
  return isInputObjectType(type) ? createCoerceObject(type) : () => refused
}

function createCoerceObject(type: Extract<GraphQLInputType, { getFields(): unknown }>): CoerceValue {
  const fields = Object.values(type.getFields()).map(({ name, type: fieldType, defaultValue }) => ({
    name,
    coerce: coerceOf(fieldType),
    defaultValue,
    required: isNonNullType(fieldType),
  }))
  const names = new Set(fields.map(({ name }) => name))
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refused
    const given = value as Variables
    const coerced: Variables = {}
    for (const { name, coerce, defaultValue, required } of fields) {
      const field = given[name]
      if (field === undefined) {
        if (defaultValue !== undefined) coerced[name] = defaultValue
        else if (required) return refused
        continue
      }
      const each = coerce(field)
      if (each === refused) return refused
      coerced[name] = each
    }
    for (const name of Object.keys(given)) if (!names.has(name)) return refused
    if (type.isOneOf) {
      const keys = Object.keys(coerced)
      if (keys.length !== 1 || coerced[keys[0] as string] === null) return refused
    }
    return coerced
  }
}
