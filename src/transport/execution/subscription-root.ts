import { type ASTVisitor, GraphQLError, Kind, type SelectionSetNode, type ValidationContext } from 'graphql'

/**
 * The root field of a subscription must not depend on a condition. The specification says so since 2025; graphql-js does not know it yet,
 * and fails with an error of its own if the only field is left out.
 */
export function unconditionalSubscriptionRule(context: ValidationContext): ASTVisitor {
  function findCondition(set: SelectionSetNode, seen: Set<string>): void {
    for (const selection of set.selections) {
      const condition = selection.directives?.find(({ name }) => name.value === 'skip' || name.value === 'include')
      if (condition) {
        const message = 'The root field of a subscription must not be under @skip or @include.'
        context.reportError(new GraphQLError(message, { nodes: condition }))
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) findCondition(selection.selectionSet, seen)
      if (selection.kind !== Kind.FRAGMENT_SPREAD || seen.has(selection.name.value)) continue
      seen.add(selection.name.value)
      const fragment = context.getFragment(selection.name.value)
      if (fragment) findCondition(fragment.selectionSet, seen)
    }
  }
  return {
    OperationDefinition({ operation, selectionSet }) {
      if (operation === 'subscription') findCondition(selectionSet, new Set())
    },
  }
}
