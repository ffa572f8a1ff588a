import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { emptyHistory } from './checks/history.ts'
import { openRecord, type RecordOptions } from './record.ts'

function aRecord(options: RecordOptions) {
  const record = openRecord(options)
  onTestFinished(() => rm(record.directory, { recursive: true, force: true }))
  return record
}

const planned = [{ kind: 'flush Redis', atMs: 5, forMs: 0, share: 0, probability: 1 }] as const

it('the record of a run that failed holds what was seen, the faults and the tables', async () => {
  const record = aRecord({ seed: 7 })
  const history = emptyHistory()
  history.faults.push({ kind: 'flush Redis', fromMs: 6, toMs: 7 })
  history.tables.push({ conversationId: 'dm_1', rows: [], indexed: [] })
  const kept = record.keep(history, planned, 'P1 broken')
  const read = async (name: string) => JSON.parse(await readFile(join(kept, name), 'utf8'))
  expect(kept).toMatch(/test\/artifacts\/chaos-7-/)
  expect(await readdir(kept)).toEqual(['faults.json', 'history.json', 'report.txt', 'tables.json'])
  expect(await read('history.json')).toEqual(history)
  expect(await read('faults.json')).toEqual({ planned, carriedOut: history.faults })
})

it('nothing stays of a good run, unless it was asked for', async () => {
  const record = aRecord({ seed: 8 })
  record.discard()
  record.keep(emptyHistory(), [], 'too late')
  expect(existsSync(record.directory)).toBe(false)
  const wanted = aRecord({ seed: 8, directory: record.directory })
  wanted.discard()
  expect(existsSync(wanted.directory)).toBe(true)
})
