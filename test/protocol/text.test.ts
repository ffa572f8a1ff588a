import { describe, expect, it } from 'vitest'
import { bodyProblem, titleProblem } from '../../src/protocol/text.ts'

describe('a title', () => {
  it.each(['x', 'Tea ☕', ' padded ', '🦊'.repeat(100)])('may be %j', (title) => {
    expect(titleProblem(title)).toBeUndefined()
  })

  it.each([
    ['', 'visible'],
    [' \u200b\u2800', 'visible'],
    ['🦊'.repeat(101), 'at most 100'],
    ['a\0b', 'NUL'],
    ['half \ud83e', 'well-formed'],
    ['two\nlines', 'one line'],
    ['two\r\nlines', 'one line'],
    ['next\u0085line', 'one line'],
    ['paragraph\u2029separator', 'one line'],
    ['an escape \u001b[31m', 'one line'],
    ['gnp.\u202eexe', 'direction'],
    ['\u2066isolated', 'direction'],
    ['a mark\u200f', 'direction'],
  ])('may not be %j', (title, reason) => {
    expect(titleProblem(title)).toMatch(/^A title /)
    expect(titleProblem(title)).toContain(reason)
  })

  it('has rules that a message does not have: it may hold lines, and turn the direction of its text', () => {
    expect(bodyProblem('two\nlines \u202eturned')).toBeUndefined()
  })

  it('is shorter than a message', () => {
    expect(bodyProblem('x'.repeat(101))).toBeUndefined()
    expect(bodyProblem('x'.repeat(4097))).toBe('A message has at most 4096 characters.')
  })
})
