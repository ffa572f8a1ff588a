import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { contentOf, copyBetween, embeddedIn, fileAt, fill, otherTables, temporaryDirectory } from './places.ts'

let directory: string
let path: string
let lines: string[]

beforeEach(async () => {
  directory = await temporaryDirectory()
  path = join(directory, 'backup.jsonl')
  await fill(join(directory, 'source'), 20, { deploymentId: 'the one' })
  await copyBetween(embeddedIn(join(directory, 'source')), fileAt(path))
  lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1)
})

const restore = () => copyBetween(fileAt(path), embeddedIn(join(directory, 'restored')))

it('a file is lines of JSON: what it is, a row each, and the counts and hashes', () => {
  const parsed = lines.map((line) => JSON.parse(line))
  expect(parsed[0]).toEqual({ format: 'parley-rows', version: 1, deployment: 'the one' })
  expect(parsed[1]).toEqual({ table: 'messages', row: expect.objectContaining({ seq: 1 }) })
  expect(parsed.at(-1)).toEqual({
    end: expect.objectContaining({ messages: { count: 20, hash: expect.stringMatching(/^[0-9a-f]{64}$/) } }),
  })
  expect(lines).toHaveLength(lineCount)
})

const lineCount = 1 + 20 + otherTables * 2 + 1

const damages: [name: string, damage: (lines: string[]) => string, said: string][] = [
  [
    'cut short at a line',
    (all) => text(all.slice(0, -1)),
    `was cut short after line ${lineCount - 1}: its last line is missing.`,
  ],
  ['cut short in its last line', (all) => text(all).slice(0, -1), `was cut short after line ${lineCount - 1}`],
  ['cut short in a row', (all) => text(all).slice(0, 300), 'was cut short'],
  ['empty', () => '', 'is no file of `parley copy`.'],
  ['something else', () => '{"name":"a package"}\n', 'is no file of `parley copy`.'],
  ['without a row', (all) => text(all.toSpliced(3, 1)), 'not those of its last line: messages (20 rows, 19 there).'],
  ['with a row twice', (all) => text(all.toSpliced(3, 0, all[3] ?? '')), 'messages (20 rows, 21 there).'],
  ['with a changed text', (all) => text(all).replace('plain', 'plane'), 'messages (20 rows, 20 there).'],
  ['with a line that is no row', (all) => text(all.toSpliced(3, 0, 'oops')), 'is damaged: line 4 is no row.'],
  ['of two files', (all) => text([...all, ...all]), `is damaged: line ${lineCount + 1} comes after its last line.`],
  ['of a later release', (all) => text(all).replace('"version":1', '"version":2'), 'has version 2 of the format'],
  ['with a later table', (all) => text(all).replace('"messages"', '"polls"'), 'the table polls, which this release'],
]
const text = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('')

it.each(damages)('a file that is %s is refused before anything is written', async (_name, damage, said) => {
  await writeFile(path, damage(lines))
  await expect(restore()).rejects.toThrow(said)
  expect(existsSync(join(directory, 'restored'))).toBe(false)
})

it('a file that was cut short in the middle of a line while it was written goes on from there', async () => {
  const half = join(directory, 'half.jsonl')
  await writeFile(`${half}.partial`, text(lines).slice(0, 700))
  expect(await copyBetween(embeddedIn(join(directory, 'source')), fileAt(half))).toMatchObject({ isResumed: true })
  expect(await readFile(half, 'utf8')).toBe(text(lines))
})

it('a file restores to what it was made of', async () => {
  await restore()
  expect(await contentOf(embeddedIn(join(directory, 'restored')))).toEqual(
    await contentOf(embeddedIn(join(directory, 'source'))),
  )
})
