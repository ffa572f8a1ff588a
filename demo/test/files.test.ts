import { expect, test } from 'vitest'
import { fileProblem } from '../src/files/file-problem.ts'
import { fileWords, isPicture, sizeWords, wordsOf } from '../src/files/file-words.ts'
import { outgoingFileWords } from '../src/files/sent-files.ts'

const picture = { contentType: 'image/png', name: 'cat.png' }
const paper = { contentType: 'application/pdf', name: 'paper.pdf' }

test('what a message is made of, in one line', () => {
  const message = { body: '', deletedAt: null, attachments: [] }
  const file = { ...paper, id: 'f', url: '/f', byteSize: 3 }
  expect(wordsOf({ ...message, body: 'Look', attachments: [file] })).toBe('Look')
  expect(wordsOf({ ...message, attachments: [file] })).toBe('paper.pdf')
  expect(wordsOf({ ...message, deletedAt: '2026-03-10T12:00:00.000Z' })).toBe('This message was deleted')
})

test('pictures are pictures, anything else has a name', () => {
  expect(fileWords([picture])).toBe('Picture')
  expect(fileWords([picture, picture])).toBe('2 pictures')
  expect(fileWords([picture, paper])).toBe('2 files')
  expect(fileWords([{ ...paper, name: null }])).toBe('File')
  expect(fileWords([])).toBe('')
})

test('what may run something is no picture', () => {
  expect(['image/png', 'image/webp'].every(isPicture)).toBe(true)
  expect(['image/svg+xml', 'text/html', 'image/heic'].some(isPicture)).toBe(false)
})

test.each([
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1.0 KB'],
  [12_345, '12 KB'],
  [1_900_000, '1.9 MB'],
  [26_214_400, '26 MB'],
])('%i bytes are %s', (bytes, words) => {
  expect(sizeWords(bytes)).toBe(words)
})

test('what cannot be attached is refused in words', () => {
  expect(fileProblem({ name: 'a.txt', size: 1 }, 0)).toBeUndefined()
  expect(fileProblem({ name: 'a.txt', size: 0 }, 0)).toBe('a.txt is empty.')
  expect(fileProblem({ name: 'film.mov', size: 25 * 1024 * 1024 + 1 }, 0)).toBe('film.mov is larger than 25 MB.')
  expect(fileProblem({ name: 'a.txt', size: 1 }, 10)).toBe('A message takes at most 10 files.')
})

test('after a reload nobody knows what is on its way', () => {
  expect(outgoingFileWords(['one'])).toBe('File')
  expect(outgoingFileWords(['one', 'two'])).toBe('2 files')
  expect(outgoingFileWords()).toBe('')
})
