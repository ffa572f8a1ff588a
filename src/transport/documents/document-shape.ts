import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'

/** Limits what a document may hold as it is written. They are checked without a schema, so that they also protect the validation. */
const shapeLimits = {
  depth: 20,
  rootFields: 64,
  aliases: 64,
  directives: 64,
  /** Fields of the same name in the answer are compared pair by pair when a document is validated. */
  sameName: 64,
  operations: 32,
  fragments: 64,
}

/** Returns the message for the first limit that is broken, or undefined. It takes time linear in the document. */
export function checkShape(document: DocumentNode): string | undefined {
  return checkCounts(document) ?? checkReach(document)
}

function checkCounts(document: DocumentNode): string | undefined {
  const counts = { aliases: 0, directives: 0, sameName: 0, operations: 0, fragments: 0 }
  const names = new Map<string, number>()
  visit(document, {
    enter(node) {
      if (node.kind === Kind.OPERATION_DEFINITION) counts.operations += 1
      if (node.kind === Kind.FRAGMENT_DEFINITION) counts.fragments += 1
      if (node.kind === Kind.DIRECTIVE) counts.directives += 1
      if (node.kind !== Kind.FIELD) return
      if (node.alias) counts.aliases += 1
      const shown = (node.alias ?? node.name).value
      const count = (names.get(shown) ?? 0) + 1
      names.set(shown, count)
      counts.sameName = Math.max(counts.sameName, count)
    },
  })
  const words: Record<keyof typeof counts, string> = {
    aliases: 'aliases',
    directives: 'directives',
    sameName: 'fields of the same name',
    operations: 'operations',
    fragments: 'fragments',
  }
  for (const [limit, what] of Object.entries(words) as [keyof typeof counts, string][]) {
    if (counts[limit] > shapeLimits[limit]) return `A document has at most ${shapeLimits[limit]} ${what}.`
  }
  return undefined
}

/** How deep a selection goes, and how many fields it has, once its fragments are put in their places. */
type Reach = { depth: number; fields: number }

const nowhere: Reach = { depth: 0, fields: 0 }

/** Returns how many root fields an operation has at most: with fragments in their places, and including what its directives leave out. */
export function rootFieldsOf({ definitions }: DocumentNode, { selectionSet }: OperationDefinitionNode): number {
  return createReachOf(definitions)(selectionSet).fields
}

function checkReach({ definitions }: DocumentNode): string | undefined {
  const reachOf = createReachOf(definitions)
  for (const each of definitions) {
    if (each.kind !== Kind.OPERATION_DEFINITION) continue
    const { depth, fields } = reachOf(each.selectionSet)
    if (depth > shapeLimits.depth) return `An operation selects fields at most ${shapeLimits.depth} levels deep.`
    if (fields > shapeLimits.rootFields) return `An operation has at most ${shapeLimits.rootFields} root fields.`
  }
  return undefined
}

function createReachOf(definitions: DocumentNode['definitions']): (selected: SelectionSetNode) => Reach {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const each of definitions) if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each)
  const known = new Map<string, Reach>()

  /** Looks at each fragment once, however often it is spread. The validation refuses one that leads to itself. */
  function reachOfFragment(name: string): Reach {
    const found = known.get(name)
    if (found) return found
    const fragment = fragments.get(name)
    known.set(name, nowhere)
    const reach = fragment ? reachOf(fragment.selectionSet) : nowhere
    known.set(name, reach)
    return reach
  }

  function reachOf({ selections }: SelectionSetNode): Reach {
    let [depth, fields] = [0, 0]
    for (const selection of selections) {
      const reach =
        selection.kind === Kind.FIELD
          ? { depth: 1 + (selection.selectionSet ? reachOf(selection.selectionSet).depth : 0), fields: 1 }
          : selection.kind === Kind.INLINE_FRAGMENT
            ? reachOf(selection.selectionSet)
            : reachOfFragment(selection.name.value)
      depth = Math.max(depth, reach.depth)
      fields += reach.fields
    }
    return { depth, fields }
  }

  return reachOf
}
