import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { apiReference } from '../../scripts/api-reference.ts'
import { schema } from '../../src/schema/schema.ts'

describe('docs/api-reference.md', () => {
  const page = readFileSync(new URL('../../docs/api-reference.md', import.meta.url), 'utf8')

  it('is committed as it is: npm run docs:api writes it anew', () => {
    expect(page).toBe(apiReference(schema))
  })

  it('has a heading of its own for everything it links to', () => {
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase())
    const links = new Set([...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, name = '']) => name))
    expect([...links].filter((name) => headings.filter((heading) => heading === name).length !== 1)).toEqual([])
  })
})
