import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { adminReference, apiReference } from '../../scripts/api-reference.ts'
import { adminSchema } from '../../src/admin/schema/schema.ts'
import { schema } from '../../src/schema/schema.ts'

describe.each([
  ['api-reference.md', () => apiReference(schema)],
  ['admin-reference.md', () => adminReference(adminSchema)],
])('docs/%s', (name, written) => {
  const page = readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

  it('is committed as it is: npm run docs:api writes it anew', () => {
    expect(page).toBe(written())
  })

  it('has a heading of its own for everything it links to', () => {
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase())
    const links = new Set([...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, name = '']) => name))
    expect([...links].filter((name) => headings.filter((heading) => heading === name).length !== 1)).toEqual([])
  })
})
