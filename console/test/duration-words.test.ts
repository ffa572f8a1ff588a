import { expect, test } from 'vitest'
import { durationWords } from '../src/webhooks/duration-words.ts'

test.each([
  [0, '0 seconds'],
  [1, '1 second'],
  [59, '59 seconds'],
  [60, '1 minute'],
  [7199, '1 hour'],
  [259_200, '3 days'],
])('%i seconds are %s', (seconds, words) => expect(durationWords(seconds)).toBe(words))
