import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createPastVersions } from '../../../src/domain/conversations/past-versions.ts'
import { createKeyValueMemory } from '../../../src/engine/key-value/key-value.memory.ts'
import type { GroupChange } from '../../../src/ports/log.ts'
import type { Seq } from '../../../src/protocol/ids.ts'
import { createStoresEmbedded } from '../../../src/store/embedded/stores.ts'
import { aConversation, aGroup, aGroupChange, aMessage } from '../../kit/ids.ts'

type Kind = 'version' | 'lost change' | 'message'

/** Writes a log with a cell of this kind at each seq. */
async function groupWith(kinds: readonly Kind[]) {
  const { messages } = createStoresEmbedded(createKeyValueMemory())
  const id = aConversation()
  const [versions, changes]: [Seq[], GroupChange[]] = [[], []]
  let rowsRead = 0
  for (const [i, kind] of kinds.entries()) {
    const seq = i + 1
    const baseVersion = versions.at(kind === 'version' ? -1 : -2) ?? 0
    const row = kind === 'message' ? aMessage(id, seq) : aGroupChange(id, seq, { baseVersion })
    await messages.put(row)
    if (row.kind === 'group') changes.push(row)
    if (kind === 'version') versions.push(seq)
  }
  const below: typeof messages.below = async (...asked) => {
    const rows = await messages.below(...asked)
    rowsRead += rows.length
    return rows
  }
  return {
    versions,
    changes,
    pastVersions: createPastVersions({ messages: { ...messages, below } }),
    rowsRead: () => rowsRead,
    /** The group at its n-th version. Its row names the last `named` of those before. */
    groupAt(n: number, named: number) {
      const before = versions.slice(0, n)
      return aGroup({ id, version: versions[n] ?? 0, pastVersions: before.slice(before.length - named) })
    },
  }
}

const kind = fc.constantFrom<Kind>('version', 'version', 'lost change', 'message')

it('knows which changes took effect, in whatever order they are asked for while the group changes on', async () => {
  const question = fc.record({ at: fc.nat(), change: fc.nat(), named: fc.nat({ max: 3 }) })
  const last = { at: 3, change: 0, named: 0 }
  const questions = fc.array(question, { minLength: 1, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(fc.array(kind, { maxLength: 120 }), questions, fc.boolean(), async (kinds, asked, atOnce) => {
      const group = await groupWith(['version', ...kinds])
      const answers = asked.map(({ at, change, named }) => async () => {
        const n = at % group.versions.length
        const decided = group.changes.filter(({ seq }) => seq <= (group.versions[n] ?? 0))
        const one = decided[change % decided.length]
        if (!one) return
        const tookEffect = await group.pastVersions.tookEffect(group.groupAt(n, Math.min(named, n)), one)
        expect(tookEffect).toBe(group.versions.includes(one.seq))
      })
      if (atOnce) await Promise.all(answers.map((answer) => answer()))
      else for (const answer of answers) await answer()
    }),
    {
      examples: [
        [['version', 'lost change', 'version', 'version'], [last, last, { at: 0, change: 0, named: 0 }], true],
      ],
    },
  )
})

it('reads each part of the log once, however many ask', async () => {
  const group = await groupWith(Array<Kind>(2000).fill('version'))
  const { tookEffect } = group.pastVersions
  const ask = async (seq: Seq) => tookEffect(group.groupAt(1999, 10), group.changes[seq - 1] as GroupChange)
  expect(await Promise.all([ask(1), ask(1), ask(700), ask(1)])).toEqual([true, true, true, true])
  for (let seq = 1; seq < 1990; seq += 1) expect(await ask(seq)).toBe(true)
  expect(group.rowsRead()).toBeLessThanOrEqual(2000 + 100)
})

it('reads nothing for a reader who goes through the log from its end', async () => {
  const group = await groupWith(['version', 'message', 'version', 'lost change', 'version', 'message', 'version'])
  const newest = group.groupAt(3, 0)
  for (const change of group.changes.toReversed())
    expect(await group.pastVersions.tookEffect(newest, change)).toBe(group.versions.includes(change.seq))
  expect(group.rowsRead()).toBe(1)
})

it('does not read the messages between far changes', async () => {
  const quiet = Array<Kind>(100).fill('message')
  const group = await groupWith(['version', ...quiet, 'version', ...quiet, 'version', ...quiet, 'version'])
  expect(await group.pastVersions.tookEffect(group.groupAt(3, 0), group.changes[0] as GroupChange)).toBe(true)
  expect(group.rowsRead()).toBeLessThanOrEqual(6)
})
