import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { expect } from 'vitest'
import type { ChatWindow } from './window.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const everything = { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }
/** By night only the colours are others. */
const colours = { resultTypes: ['violations'], runOnly: ['color-contrast'] }

/** By day and by night: axe has nothing to complain about, and whoever looks for themselves finds a picture. */
export async function isFine(window: Pick<ChatWindow, 'page' | 'keep'>, state: string): Promise<void> {
  const { page } = window
  await page.evaluate(axe)
  for (const [colorScheme, rules] of [
    ['light', everything],
    ['dark', colours],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(rules)})`)
    const complaints = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
    expect(complaints, `${state}, ${colorScheme}`).toEqual([])
    await window.keep(`${state}-${colorScheme}`)
  }
}
