import { type DocumentNode, Lexer, type ParseOptions, parse, Source, TokenKind } from 'graphql'
import { ChatError } from '../protocol/errors.ts'

const tokensMax = 2000
const nestingMax = 64

/** Like graphql's own, but a document that would exhaust the stack or the CPU is refused before it is parsed. */
export function parseGuarded(source: string | Source, options?: ParseOptions): DocumentNode {
  guard(typeof source === 'string' ? new Source(source) : source)
  return parse(source, options)
}

export const tooComplex = (message: string): ChatError => new ChatError('QUERY_TOO_COMPLEX', message)

const opening = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const closing = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])

function guard(source: Source): void {
  const lexer = new Lexer(source)
  let nesting = 0
  for (let tokens = 1; lexer.advance().kind !== TokenKind.EOF; tokens += 1) {
    if (tokens > tokensMax) throw tooComplex(`A document has at most ${tokensMax} tokens.`)
    if (opening.has(lexer.token.kind)) nesting += 1
    if (closing.has(lexer.token.kind)) nesting -= 1
    if (nesting > nestingMax) throw tooComplex(`A document is nested at most ${nestingMax} levels deep.`)
  }
}
