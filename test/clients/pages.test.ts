import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

// The chats that run in clients.test.ts are those of the pages, word for word.

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const blocksOf = (client: string): string[] => read(`docs/clients/${client}.md`).split(/^```(?:\w+\n)?/m)

it.each(['apollo', 'urql', 'relay'])('docs/clients/%s.md shows the code that runs', (client) => {
  expect(blocksOf(client)).toContain(read(`test/clients/${client}-chat.ts`))
})

it('docs/clients/relay.md shows the settings of the compiler, and what it made is up to date', () => {
  expect(blocksOf('relay')).toContain(read('test/clients/relay.config.json'))
  const compiler = fileURLToPath(new URL('../node_modules/relay-compiler/cli.js', import.meta.url))
  // It ends with an error if a file in generated/ is not what it would write.
  execFileSync(process.execPath, [compiler, '--validate', 'relay.config.json'], {
    cwd: import.meta.dirname,
    stdio: 'pipe',
  })
})
