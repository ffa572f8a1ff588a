import { expect, test } from 'vitest'
import { typingWords } from '../src/conversation/timeline/typing-words.ts'

const people = [{ id: 'bob' }, { id: 'zoe', name: 'Zoë' }]

test('two know who it is', () => {
  expect(typingWords([], people, true)).toBe('')
  expect(typingWords(['bob'], people, true)).toBe('typing')
})

test('a group is told', () => {
  expect(typingWords(['zoe'], people, false)).toBe('Zoë is typing')
  expect(typingWords(['zoe', 'bob'], people, false)).toBe('Zoë and Bob are typing')
  expect(typingWords(['zoe', 'bob', 'eve'], people, false)).toBe('3 people are typing')
  expect(typingWords(['eve'], people, false)).toBe('eve is typing')
})
