import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { unconditionalSubscriptionRule } from '../execution/subscription-root.ts'
import { parseGuarded, tooComplex } from './document-guard.ts'

const documentsMax = 1000
/** A token with what the parser made of it takes some 350 bytes. */
const tokensMax = 50_000
const charsPerToken = 350
const validationErrorsMax = 5

export type Documents = {
  /** Returns the known document of this text, or parses it. Throws if the text is no document, or is too large. */
  parse(text: string): DocumentNode
  /** Returns what is wrong with the document. A valid document is known from then on, and costs nothing to validate again. */
  validate(document: DocumentNode): readonly GraphQLError[]
}

/**
 * Parses and validates documents, and keeps the valid ones by their text. Clients make them up, and any client may send one: so they are
 * weighed by the memory they take when parsed, and only valid ones are kept. An error is never kept: through its stack it would hold on to
 * the parser.
 */
export function createDocuments(schema: GraphQLSchema, { introspection }: { introspection: boolean }): Documents {
  const rules = [
    ...specifiedRules,
    ...(introspection ? [] : [NoSchemaIntrospectionCustomRule]),
    unconditionalSubscriptionRule,
  ]
  const limits = { maxErrors: validationErrorsMax, hideSuggestions: !introspection }
  const byText = new LRUCache<string, DocumentNode>({
    max: documentsMax,
    maxSize: tokensMax,
    sizeCalculation: tokensIn,
  })
  const valid = new WeakSet<DocumentNode>()

  function validateGuarded(document: DocumentNode): readonly GraphQLError[] {
    try {
      return validate(schema, document, rules, limits)
    } catch (error) {
      throw error instanceof RangeError ? tooComplex('The document is too complex to be validated.') : error
    }
  }

  return {
    parse: (text) => byText.get(text) ?? parseGuarded(text),
    validate(document) {
      if (valid.has(document)) return none
      const errors = validateGuarded(document)
      // The error mapper tells by the code that this error comes from validation.
      for (const { extensions } of errors) extensions.code ??= 'GRAPHQL_VALIDATION_FAILED'
      if (errors.length > 0) return errors
      valid.add(document)
      if (document.loc) byText.set(document.loc.source.body, document)
      return errors
    },
  }
}

const none: readonly GraphQLError[] = []

/** Counts the tokens, and the text as tokens too, because most of it may be white space. */
export function tokensIn({ loc }: DocumentNode): number {
  let count = 1 + Math.ceil((loc?.source.body.length ?? 0) / charsPerToken)
  for (let token = loc?.startToken.next; token; token = token.next) count += 1
  return count
}
