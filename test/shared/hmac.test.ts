import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hmacBy } from '../../src/shared/hmac.ts'

const expected = (key: Uint8Array, text: string) => createHmac('sha256', key).update(text).digest('hex')

test('comes to what an Hmac object does, for keys and texts of any length, one after the other', async () => {
  const keys = fc.uint8Array({ maxLength: 200 })
  const texts = fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ maxLength: 3000 })))
  await fc.assert(
    fc.property(keys, texts, (key, all) => {
      const { hex, bytes } = hmacBy(key)
      for (const text of all) {
        expect(hex(text)).toBe(expected(key, text))
        expect(bytes(text).toString('hex')).toBe(expected(key, text))
      }
    }),
  )
})

test.each([0, 63, 64, 65, 999, 1000, 1001, 5000])('with a text of %i characters of three bytes', (length) => {
  const key = Buffer.from('a key')
  const text = '\u20ac'.repeat(length)
  expect(hmacBy(key).hex(text)).toBe(expected(key, text))
})
