import type { DocumentNode } from 'graphql'
import { LRUCache } from 'lru-cache'

const documentsMax = 1000
/** A token with what the parser made of it takes some 350 bytes. */
const tokensMax = 50_000
const charsPerToken = 350

export type DocumentCache = ReturnType<typeof createDocumentCache>

/**
 * Parsed documents by their text. They are the clients' own, and anybody may send one: so they are weighed by what they
 * take when parsed, and only what is valid stays. An error is not kept at all: through its stack it would hold on to the parser.
 */
export function createDocumentCache() {
  const documents = new LRUCache<string, DocumentNode>({
    max: documentsMax,
    maxSize: tokensMax,
    sizeCalculation: tokensIn,
  })
  /** Others may be in there for the moment between parsing and validation. */
  const valid = new WeakSet<DocumentNode>()
  return {
    documents,
    /** The document of this text, if it is known and valid. */
    validOf(text: string): DocumentNode | undefined {
      const document = documents.get(text)
      return document && valid.has(document) ? document : undefined
    },
    passed(document: DocumentNode): void {
      valid.add(document)
    },
    errors: { get: () => undefined, set: () => undefined },
    /** Its errors are kept as long as it is. */
    forget(document: DocumentNode): void {
      if (document.loc) documents.delete(document.loc.source.body)
    },
  }
}

/** With its text, most of which may be white space. */
function tokensIn({ loc }: DocumentNode): number {
  let count = 1 + Math.ceil((loc?.source.body.length ?? 0) / charsPerToken)
  for (let token = loc?.startToken.next; token; token = token.next) count += 1
  return count
}
