import { type DocumentNode, Lexer, type ParseOptions, parse, Source, TokenKind } from 'graphql'
import { ChatError } from '../../protocol/errors.ts'
import { checkShape } from './document-shape.ts'

/** Comments and white space are free: they are skipped, and the size of a request bounds them. */
const charsMax = 48 * 1024
const tokensMax = 2000
const nestingMax = 64

/** Parses as graphql-js does, but refuses a document that would exhaust the stack or the CPU before it is parsed or validated. */
export function parseGuarded(source: string | Source, options?: ParseOptions): DocumentNode {
  guard(typeof source === 'string' ? new Source(source) : source)
  const document = parse(source, options)
  const broken = checkShape(document)
  if (broken !== undefined) throw tooComplex(broken)
  return document
}

export const tooComplex = (message: string): ChatError => new ChatError('QUERY_TOO_COMPLEX', message)

const opening = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const closing = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])

function guard(source: Source): void {
  const lexer = new Lexer(source)
  let nesting = 0
  let chars = 0
  for (let tokens = 1; lexer.advance().kind !== TokenKind.EOF; tokens += 1) {
    chars += lexer.token.end - lexer.token.start
    if (chars > charsMax) throw tooComplex(`A document has at most ${charsMax} characters beside white space.`)
    if (tokens > tokensMax) throw tooComplex(`A document has at most ${tokensMax} tokens.`)
    if (opening.has(lexer.token.kind)) nesting += 1
    if (closing.has(lexer.token.kind)) nesting -= 1
    if (nesting > nestingMax) throw tooComplex(`A document is nested at most ${nestingMax} levels deep.`)
  }
}
