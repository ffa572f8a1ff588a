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
  /** The document of this text: a known one, or else parsed. Throws for what is no document, and for what is too large. */
  parse(text: string): DocumentNode
  /** What is wrong with the document; nothing, at no cost, for one that is known. A document that is valid is known from here on. */
  validate(document: DocumentNode): readonly GraphQLError[]
}

/**
 * Parses and validates documents, and keeps those that are valid by their text. They are the clients' own, and anybody may send one: so
 * they are weighed by what they take when parsed, and only what is valid stays. An error is not kept at all: through its stack it would
 * hold on to the parser.
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
      // Whoever maps errors can tell by the code where this one comes from.
      for (const { extensions } of errors) extensions.code ??= 'GRAPHQL_VALIDATION_FAILED'
      if (errors.length > 0) return errors
      valid.add(document)
      if (document.loc) byText.set(document.loc.source.body, document)
      return errors
    },
  }
}

const none: readonly GraphQLError[] = []

/** With its text, most of which may be white space. */
function tokensIn({ loc }: DocumentNode): number {
  let count = 1 + Math.ceil((loc?.source.body.length ?? 0) / charsPerToken)
  for (let token = loc?.startToken.next; token; token = token.next) count += 1
  return count
}
