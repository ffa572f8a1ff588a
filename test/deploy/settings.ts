import { readdirSync, readFileSync } from 'node:fs'

const config = new URL('../../src/config/', import.meta.url)

/** The names of all settings that a node reads. */
export const settings: ReadonlySet<string> = new Set(
  readdirSync(config)
    .map((name) => readFileSync(new URL(name, config), 'utf8'))
    .flatMap((text) => [...text.matchAll(/^ {2}([A-Z][A-Z0-9_]+): /gm)].map(([, name = '']) => name)),
)
