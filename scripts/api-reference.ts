import {
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql'

// Makes docs/api-reference.md and docs/admin-reference.md of the types of a schema and their descriptions.

type Described = { description?: string | null | undefined }

/** Returns the text of docs/api-reference.md. */
export const apiReference = (schema: GraphQLSchema): string => reference(schema, introduction)

/** Returns the text of docs/admin-reference.md. */
export const adminReference = (schema: GraphQLSchema): string => reference(schema, adminIntroduction)

function reference(schema: GraphQLSchema, beginning: string): string {
  const roots = [
    ['Queries', 'query', schema.getQueryType()],
    ['Mutations', 'mutation', schema.getMutationType()],
    ['Subscriptions', 'subscription', schema.getSubscriptionType()],
  ] as const
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .filter((type) => !roots.some(([, , root]) => root === type))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  const sections = [
    ...roots.flatMap(([title, kind, root]) => (root ? [rootSection(title, kind, root)] : [])),
    section('Objects and interfaces', types.filter(isOutput).map(objectEntry)),
    section('Inputs', types.filter(isInputObjectType).map(inputEntry)),
    section('Enums', types.filter(isEnumType).map(enumEntry)),
    section(
      'Scalars',
      types.filter(isScalarType).map((type) => entry(type, [])),
    ),
  ]
  return `${[beginning, ...sections].join('\n\n')}\n`
}

const introduction = `# API reference

Written by \`npm run docs:api\` from the schema; do not edit it by hand. [api.md](api.md) has the rules for values, errors and streams, and
\`schema.graphql\` is the schema itself. A type that ends with \`!\` is never null.`

const adminIntroduction = `# Admin API reference

Written by \`npm run docs:api\` from the schema; do not edit it by hand. [backends.md](backends.md) shows how a backend uses it, [events.md](events.md) has
the events, and \`admin-schema.graphql\` is the schema itself. A type that ends with \`!\` is never null.`

const section = (title: string, entries: readonly string[]): string => [`## ${title}`, ...entries].join('\n\n')

const rootSection = (title: string, kind: string, root: GraphQLObjectType): string =>
  section(title, [textOf(root), ...Object.values(root.getFields()).map((field) => rootFieldEntry(kind, field))])

/** Describes a root field. Its heading has the kind: there is a query `conversation` and a type `Conversation`, and links know no case. */
function rootFieldEntry(kind: string, field: GraphQLField<unknown, unknown>): string {
  const rows = field.args.map((arg) => [code(arg.name), linked(arg.type), withDefault(arg)])
  return [
    `### ${kind} ${field.name}`,
    textOf(field),
    `Returns ${linked(field.type)}.`,
    ...(rows.length > 0 ? [table(['argument', 'type', ''], rows)] : []),
  ].join('\n\n')
}

const isOutput = (type: GraphQLNamedType): type is GraphQLObjectType | GraphQLInterfaceType =>
  isObjectType(type) || isInterfaceType(type)

function objectEntry(type: GraphQLObjectType | GraphQLInterfaceType): string {
  const kinds = type.getInterfaces().map(({ name }) => linkTo(name))
  const rows = Object.values(type.getFields()).flatMap((field) => [
    [code(field.name), linked(field.type), cell(field)],
    ...field.args.map((arg) => [`${code(field.name)}, argument ${code(arg.name)}`, linked(arg.type), withDefault(arg)]),
  ])
  const implemented = kinds.length > 0 ? [`Implements ${kinds.join(', ')}.`] : []
  return entry(type, [...implemented, table(['field', 'type', ''], rows)])
}

function inputEntry(type: GraphQLInputObjectType): string {
  const rows = Object.values(type.getFields()).map((field) => [
    code(field.name),
    linked(field.type),
    withDefault(field),
  ])
  const oneOf = type.isOneOf ? ['Exactly one of the fields is given.'] : []
  return entry(type, [...oneOf, table(['field', 'type', ''], rows)])
}

function enumEntry(type: GraphQLEnumType): string {
  const rows = type.getValues().map((value) => [code(value.name), cell(value)])
  return entry(type, [table(['value', ''], rows)])
}

const entry = (type: GraphQLNamedType, parts: readonly string[]): string =>
  [`### ${type.name}`, textOf(type), ...parts].join('\n\n')

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

const code = (text: string): string => `\`${text}\``

/** Returns the type as the schema writes it, with a link to where it is explained. */
function linked(type: GraphQLType): string {
  const named = getNamedType(type)
  if (isSpecifiedScalarType(named)) return code(String(type))
  return `[${code(String(type))}](#${named.name.toLowerCase()})`
}

const linkTo = (name: string): string => `[${code(name)}](#${name.toLowerCase()})`

const textOf = ({ description }: Described): string => (description ?? '').replaceAll('\n', ' ').trim()

/** Escapes bars, which would end a cell of a table. */
const cell = (described: Described): string => textOf(described).replaceAll('|', '\\|')

const withDefault = (field: GraphQLArgument | GraphQLInputField): string =>
  field.defaultValue === undefined
    ? cell(field)
    : `${cell(field)} Default: ${code(JSON.stringify(field.defaultValue))}.`
