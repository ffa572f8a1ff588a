import type { TimelineEntry } from '@parley/client'
import { expect, test } from 'vitest'
import { awaitsChange, type PendingChange, withPendingChanges } from '../src/conversation/message/pending-changes.ts'
import { hasReacted, type Reaction, reactionName } from '../src/conversation/message/reaction-name.ts'
import { aMessage } from './a-message.ts'

const said = (seq: number, reactions: Reaction[] = []): TimelineEntry => aMessage(seq, { reactions })

const shown = (entry: TimelineEntry, ...pending: PendingChange[]) => {
  const [changed] = withPendingChanges([entry], pending)
  return changed?.type === 'message' ? changed.message : undefined
}
const react = (emoji: string, on: boolean): PendingChange => ({ type: 'react', seq: 1, emoji, on })

test('nothing wished, nothing new', () => {
  const entries = [said(1)]
  expect(withPendingChanges(entries, [])).toBe(entries)
  expect(withPendingChanges(entries, [{ type: 'remove', seq: 2 }])[0]).toBe(entries[0])
})

test('an edit is seen at once', () => {
  const edit: PendingChange = { type: 'edit', seq: 1, body: 'hello!' }
  expect(shown(said(1), edit)).toMatchObject({ body: 'hello!', editedAt: expect.any(String) })
  expect(awaitsChange(said(1), [edit])).toBe(true)
  expect(awaitsChange(said(2), [edit])).toBe(false)
})

test('a deletion takes everything, and what comes after it nothing more', () => {
  const message = shown(
    said(1, [{ emoji: '👍', count: 2, viewerReacted: true }]),
    { type: 'remove', seq: 1 },
    react('🙏', true),
  )
  expect(message).toMatchObject({ body: '', attachments: [], reactions: [], deletedAt: expect.any(String) })
})

test('reactions count up and down', () => {
  const liked = said(1, [{ emoji: '👍', count: 1, viewerReacted: false }])
  const both = { emoji: '👍', count: 2, viewerReacted: true }
  expect(shown(liked, react('👍', true))?.reactions).toEqual([both])
  expect(shown(liked, react('👍', true), react('👍', true))?.reactions).toEqual([both])
  expect(shown(liked, react('👍', true), react('👍', false))?.reactions).toEqual([
    { ...both, count: 1, viewerReacted: false },
  ])
  expect(shown(said(1), react('🙏', true))?.reactions).toEqual([{ emoji: '🙏', count: 1, viewerReacted: true }])
  expect(shown(said(1), react('🙏', true), react('🙏', false))?.reactions).toEqual([])
  expect(awaitsChange(liked, [react('👍', true)])).toBe(false)
})

test('a reaction says its count, and whether one is in it', () => {
  expect(reactionName({ emoji: '👍', count: 2, viewerReacted: true })).toBe('👍 2, you reacted')
  expect(reactionName({ emoji: '👍', count: 2, viewerReacted: false })).toBe('👍 2')
  expect(hasReacted([{ emoji: '👍', count: 2, viewerReacted: false }], '👍')).toBe(false)
  expect(hasReacted([{ emoji: '👍', count: 2, viewerReacted: true }], '👍')).toBe(true)
})
