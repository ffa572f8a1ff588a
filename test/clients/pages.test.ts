import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

// The chats that run in clients.test.ts are those of the pages, word for word.

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

it.each(['apollo', 'urql'])('docs/clients/%s.md shows the code that runs', (client) => {
  const [, ...blocks] = read(`docs/clients/${client}.md`).split(/^```(?:ts\n)?/m)
  expect(blocks).toContain(read(`test/clients/${client}-chat.ts`))
})
