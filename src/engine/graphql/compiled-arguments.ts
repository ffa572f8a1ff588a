import { type FieldNode, type GraphQLField, getArgumentValues, isNonNullType, Kind, type ValueNode } from 'graphql'
import type { Run } from './compiled-values.ts'
import type { Variables } from './compiled-variables.ts'

type Arguments = (run: Run) => Variables

const noArguments: Variables = Object.freeze({})

/** Makes the arguments that a resolver gets. */
export function argumentsFor(field: GraphQLField<unknown, unknown>, node: FieldNode): Arguments {
  if (field.args.length === 0) return () => noArguments
  const given = new Map((node.arguments ?? []).map(({ name, value }) => [name.value, value]))
  if (![...given.values()].some(usesVariables)) {
    const values = Object.freeze(getArgumentValues(field, node))
    return () => values
  }
  const plain = field.args.map(({ name, defaultValue }) => {
    const value = given.get(name)
    return { name, defaultValue, variable: value?.kind === Kind.VARIABLE ? value.name.value : undefined }
  })
  const isPlain = plain.every(({ name, variable }) => variable !== undefined || !given.has(name))
  const careful: Arguments = ({ variables }) => getArgumentValues(field, node, variables)
  if (!isPlain) return careful
  // The variables are of the right types: the document is valid. A value that is not null only has to be present.
  const required = new Set(field.args.filter(({ type }) => isNonNullType(type)).map(({ name }) => name))
  return (run) => {
    const values: Variables = {}
    for (const { name, defaultValue, variable } of plain) {
      // An absent variable may have the name of a property that every object has.
      const isGiven = variable !== undefined && Object.hasOwn(run.variables, variable)
      const value = isGiven ? run.variables[variable] : undefined
      if (value === null && required.has(name)) return careful(run)
      if (value !== undefined) values[name] = value
      else if (defaultValue !== undefined) values[name] = defaultValue
      else if (required.has(name)) return careful(run)
    }
    return values
  }
}

export function usesVariables(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true
  if (value.kind === Kind.LIST) return value.values.some(usesVariables)
  return value.kind === Kind.OBJECT && value.fields.some((each) => usesVariables(each.value))
}
