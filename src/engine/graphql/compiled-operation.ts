// Compiles an operation to functions that write its answer as JSON, without a look at the document and without an object in between. Only
// ordinary operations are compiled. graphql-js executes all others, and those whose answer cannot be written, so that error messages are its own. The
// resolver of the root field is not called again then, see `Replay`.

import {
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { argumentsFor, usesVariables } from './compiled-arguments.ts'
import {
  isPromise,
  type Loads,
  leafOf,
  listOf,
  NotCompilable,
  objectOf,
  type Run,
  type Text,
  type WriteField,
  type WriteValue,
  writtenOnce,
} from './compiled-values.ts'
import { type Coerce, compileVariables, type Variables } from './compiled-variables.ts'
import { isWrittenOnce, type SharedAnswerKeyOf, sharingOf } from './sharing.ts'

export type Compiled = {
  coerce: Coerce
  /** Calls the resolver of the root field; `root` is an event, or undefined. Throws or rejects with the resolver's error. */
  resolve(root: unknown, run: Run): unknown
  /** Writes the JSON of `data` for the value of the root field. Throws or rejects if graphql-js has to say what is wrong. */
  write(value: unknown, run: Run): Text
  /** The answer shows the root field under the name `key`; `nodes` are its places in the document. */
  readonly key: string
  readonly nodes: readonly FieldNode[]
  /** Whether the field may be null if it fails. */
  readonly isNullable: boolean
  /** Whether no field is personal, for any value. */
  readonly canBeShared: boolean
  /** The `sharedAnswerKeyOf` of the root field, see sharing.ts. */
  readonly sharedAnswerKeyOf: SharedAnswerKeyOf | undefined
  /** The operation has this many fields, once fragments are in their places: its weight is measured by it. */
  readonly fieldCount: number
}

export type CompileOptions = {
  /** Counts what an operation loads. Without it, nothing is counted. */
  loads?: Loads
  /** Tests set it. A resolver that reads a part of its `info` that compiled operations do not have then gets an error. */
  guardsInfo?: boolean
  /** An operation with more fields than this, once fragments are in their places, is left to graphql-js. */
  fieldsMax?: number
}

const uncounted: Loads = { loadedBy: () => 0, charge: () => undefined }

/** Returns undefined for an operation that is left to graphql-js. The document must be valid. */
export function compileOperation(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  operation: OperationDefinitionNode,
  options: CompileOptions = {},
): Compiled | undefined {
  try {
    return createCompiler(schema, fragments, options).compile(operation)
  } catch (error) {
    if (error instanceof NotCompilable) return undefined
    throw error
  }
}

/** Fragments that double at each level make tens of thousands of fields of a short document. */
export const compiledFieldsMax = 1000

function createCompiler(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  { loads = uncounted, guardsInfo = false, fieldsMax = compiledFieldsMax }: CompileOptions,
) {
  let fieldCount = 0
  let canBeShared = true
  /** Whether all fields of the object being compiled are the same for all. */
  let isSameForAll = true

  function compile(operation: OperationDefinitionNode): Compiled {
    const root = schema.getRootType(operation.operation)
    const coerce = compileVariables(schema, operation)
    if (!root || !coerce || operation.directives?.length) throw new NotCompilable()
    const selected = [...collect(root, [operation.selectionSet])]
    const [[key, nodes] = ['', []]] = selected
    const [node] = nodes
    // Several root fields of a query could be compiled, but clients do not ask for them; those of a mutation wait for each other.
    const field = node && root.getFields()[node.name.value]
    if (selected.length !== 1 || !field) throw new NotCompilable()
    const argumentsOf = argumentsFor(field, node)
    canBeShared = true
    const below = writerOf(field.type, nodes)
    const info = infoOf(operation, root, field, nodes)
    const call = field.resolve ?? defaultFieldResolver
    const opening = `{${JSON.stringify(key)}:`
    const close = (text: string) => `${opening}${text}}`
    return {
      coerce,
      resolve(source, run) {
        const value: unknown = call(source, argumentsOf(run), run.context, info)
        return isPromise(value) && !(value instanceof Promise) ? Promise.resolve(value) : value
      },
      write(value, run) {
        const text = below(value, run)
        return typeof text === 'string' ? close(text) : text.then(close)
      },
      key,
      nodes,
      isNullable: !isNonNullType(field.type),
      canBeShared,
      sharedAnswerKeyOf: sharingOf(field).sharedAnswerKeyOf,
      fieldCount,
    }
  }

  /** Collects fields as graphql-js does, for a known type. */
  function collect(
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    into = new Map<string, FieldNode[]>(),
    spread = new Set<string>(),
  ): Map<string, FieldNode[]> {
    for (const selection of sets.flatMap((set) => set.selections)) {
      if (selection.directives?.length) throw new NotCompilable()
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value
        const nodes = into.get(key)
        if (nodes) nodes.push(selection)
        else into.set(key, [selection])
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (applies(selection.typeCondition?.name.value, type)) collect(type, [selection.selectionSet], into, spread)
      } else {
        const name = selection.name.value
        const fragment = fragments.get(name)
        if (!fragment || fragment.directives?.length) throw new NotCompilable()
        if (spread.has(name)) continue
        spread.add(name)
        if (applies(fragment.typeCondition.name.value, type)) collect(type, [fragment.selectionSet], into, spread)
      }
    }
    return into
  }

  function applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true
    const named = schema.getType(condition)
    return isAbstractType(named) && schema.isSubType(named, type)
  }

  function writerOf(type: GraphQLOutputType, nodes: readonly FieldNode[]): WriteValue {
    if (isNonNullType(type)) {
      const inner = presentOf(type.ofType, nodes)
      return (value, run) => {
        if (value === null || value === undefined) throw new NotCompilable()
        return inner(value, run)
      }
    }
    const inner = presentOf(type, nodes)
    return (value, run) => (value === null || value === undefined ? 'null' : inner(value, run))
  }

  /** Writes a value that is not null. */
  function presentOf(type: GraphQLOutputType, nodes: readonly FieldNode[]): WriteValue {
    if (isListType(type)) return listOf(writerOf(type.ofType, nodes))
    if (isLeafType(type)) return leafOf(type)
    if (isObjectType(type) && !type.isTypeOf) {
      return selectedOf(
        type,
        nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
      )
    }
    throw new NotCompilable()
  }

  function selectedOf(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): WriteValue {
    const outside = isSameForAll
    isSameForAll = true
    const write = fieldsOf(type, sets)
    const isForAll = isSameForAll
    isSameForAll &&= outside
    return isForAll && isWrittenOnce(type) ? writtenOnce(write, loads) : write
  }

  function fieldsOf(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): WriteValue {
    const fields: WriteField[] = []
    const names: string[] = []
    for (const [key, nodes] of collect(type, sets)) {
      names.push(`${fields.length === 0 ? '{' : ','}${JSON.stringify(key)}:`)
      fields.push(fieldOf(type, nodes))
    }
    // All selected fields may belong to other types of an interface.
    if (fields.length === 0) return () => '{}'
    return objectOf(names, fields)
  }

  function fieldOf(type: GraphQLObjectType, nodes: readonly FieldNode[]): WriteField {
    const [node] = nodes
    fieldCount += 1
    if (!node || fieldCount > fieldsMax) throw new NotCompilable()
    if (node.name.value === '__typename') {
      const text = JSON.stringify(type.name)
      return () => text
    }
    const field = type.getFields()[node.name.value]
    if (!field) throw new NotCompilable()
    const write = writerOf(field.type, nodes)
    const resolve = resolverOf(type, field, node, nodes)
    const writeField: WriteField = (source, run) => {
      const value = resolve(source, run)
      return isPromise(value) ? value.then((each) => write(each, run)) : write(value, run)
    }
    const { sameForAll: same, exceptAuthor } = sharingOf(field)
    if (same !== true || exceptAuthor) isSameForAll = false
    if (same === true) return writeField
    if (same === undefined) {
      canBeShared = false
      return writeField
    }
    return (source, run) => {
      if (!same(source as never)) run.isPersonal = true
      return writeField(source, run)
    }
  }

  function resolverOf(
    type: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    node: FieldNode,
    nodes: readonly FieldNode[],
  ): (source: unknown, run: Run) => unknown {
    const { name, resolve } = field
    if (!resolve) {
      return (source) => {
        const value = (source as Variables)[name]
        if (typeof value === 'function') throw new NotCompilable()
        return value
      }
    }
    const argumentsOf = argumentsFor(field, node)
    if (node.arguments?.some(({ value }) => usesVariables(value))) {
      canBeShared = false
      isSameForAll = false
    }
    const info = infoOf(undefined, type, field, nodes)
    return (source, run) => resolve(source, argumentsOf(run), run.context, info)
  }

  const fragmentsByName = Object.fromEntries(fragments)
  /** Makes the `info` that resolvers get. There is no path, no root value and no variables: they would be made anew for each run, and no resolver needs them. */
  const infoOf = (
    operation: OperationDefinitionNode | undefined,
    parentType: GraphQLObjectType,
    { name, type }: GraphQLField<unknown, unknown>,
    fieldNodes: readonly FieldNode[],
  ): GraphQLResolveInfo => {
    const known = { schema, fieldName: name, returnType: type, parentType, fieldNodes, fragments: fragmentsByName }
    const info = operation ? { ...known, operation } : known
    return (guardsInfo ? guarded(info) : info) as GraphQLResolveInfo
  }

  return { compile }
}

/** Throws if a missing part is read. */
const guarded = (info: object): object =>
  new Proxy(info, {
    get(target, name) {
      if (Object.hasOwn(target, name)) return Reflect.get(target, name)
      throw new Error(`A resolver of a compiled operation has no info.${String(name)}.`)
    },
  })
