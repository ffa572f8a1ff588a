// What a contract promises, name by name, and what a schema has there.

import {
  type DefinitionNode,
  type FieldDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  type InputValueDefinitionNode,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  print,
} from 'graphql'

/** `Type.field: [Other!]!`, `Type.field(argument): Int = 20`, `Enum.VALUE: ` and `Type: Interface`. */
export function promisesOf(definition: DefinitionNode): [name: string, type: string][] {
  if (!('name' in definition) || !definition.name) return []
  const name = definition.name.value
  if (definition.kind === Kind.ENUM_TYPE_DEFINITION) {
    return (definition.values ?? []).map((value) => [`${name}.${value.name.value}`, ''])
  }
  if (!('fields' in definition)) return [[name, '']]
  const interfaces = 'interfaces' in definition ? (definition.interfaces ?? []) : []
  const fields: readonly (FieldDefinitionNode | InputValueDefinitionNode)[] = definition.fields ?? []
  return [
    ...interfaces.map((each): [string, string] => [name, each.name.value]),
    ...fields.flatMap((field): [string, string][] => [
      [`${name}.${field.name.value}`, print(field.type)],
      ...('arguments' in field ? (field.arguments ?? []) : []).map((argument): [string, string] => [
        `${name}.${field.name.value}(${argument.name.value})`,
        `${print(argument.type)}${argument.defaultValue ? ` = ${print(argument.defaultValue)}` : ''}`,
      ]),
    ]),
  ]
}

/** What the schema has at one of these names; undefined where it has nothing. */
export function typeAt(schema: GraphQLSchema, name: string): string | undefined {
  const [, typeName = '', member, argument] = /^(\w+)(?:\.(\w+)(?:\((\w+)\))?)?$/.exec(name) ?? []
  const type = schema.getType(typeName)
  if (member === undefined) return isObjectType(type) ? type.getInterfaces().map(String).join() : type && ''
  if (isEnumType(type)) return type.getValue(member) ? '' : undefined
  if (!isObjectType(type) && !isInputObjectType(type)) return undefined
  const field = type.getFields()[member]
  if (argument === undefined || !field || !('args' in field)) return field && String(field.type)
  const found = field.args.find((each) => each.name === argument)
  return found && `${found.type}${found.defaultValue === undefined ? '' : ` = ${found.defaultValue}`}`
}

/** The names of what has no description. */
export function undescribed(type: GraphQLNamedType): string[] {
  const named = getNamedType(type)
  const parts: { name: string; description?: string | null | undefined }[] = [
    { name: named.name, description: named.description },
  ]
  if (isEnumType(named)) parts.push(...named.getValues())
  if (isInputObjectType(named)) parts.push(...Object.values(named.getFields()))
  if (isObjectType(named) || isInterfaceType(named)) {
    for (const field of Object.values(named.getFields())) parts.push(field, ...field.args)
  }
  return parts.filter(({ description }) => !description).map(({ name }) => name)
}
