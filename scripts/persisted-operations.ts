import { createHash } from 'node:crypto'
import * as generated from '../packages/client/src/generated/graphql.ts'

/** Byte for byte as the client sends them: it may send the text as well as its hash. */
export function persistedOperations(): string {
  const texts = Object.entries(generated).flatMap(([name, value]) => (name.endsWith('Document') ? [String(value)] : []))
  const byHash = texts.map((text) => [createHash('sha256').update(text).digest('hex'), text])
  byHash.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  return `${JSON.stringify(Object.fromEntries(byHash), null, 2)}\n`
}
