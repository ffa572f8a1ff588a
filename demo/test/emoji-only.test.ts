import { expect, test } from 'vitest'
import { emoji } from '../src/composer/emoji-list.ts'
import { isEmojiOnly } from '../src/conversation/message/emoji-only.ts'

test.each(['😂', '👍🏽', '❤️', '🇳🇱', '👩‍👩‍👧‍👦', '🏳️‍🌈', '1️⃣', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '👍🎉', ' 🎉 🎉 🎉 '])('%s is', (text) => {
  expect(isEmojiOnly(text)).toBe(true)
})

test.each(['', ' ', 'a', '1', '#', '😂 a', '🎉🎉🎉🎉', 'ok 👍'])('%j is not', (text) => {
  expect(isEmojiOnly(text)).toBe(false)
})

test('whatever the picker offers is', () => {
  expect(emoji.filter(([character]) => !isEmojiOnly(character))).toEqual([])
  expect(new Set(emoji.map(([character]) => character)).size).toBe(emoji.length)
})
