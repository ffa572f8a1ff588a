import { expect, it } from 'vitest'
import { parseUrl } from '../../src/protocol/parse-url.ts'
import { avatarUrlProblem } from '../../src/protocol/profile.ts'

// Often enough that the compiler has optimized the caller.
const often = Array.from({ length: 50_000 })

it('an address with letters beyond ASCII is one, however often it is asked', () => {
  expect(often.filter(() => parseUrl('https://bücher.example/ö')?.hostname !== 'xn--bcher-kva.example')).toEqual([])
  expect(parseUrl('no URL')).toBeUndefined()
})

it('a picture may have such an address', () => {
  const problem = () => avatarUrlProblem('https://bücher.example/ö.png', { local: false })
  expect(often.filter(() => problem() !== undefined)).toEqual([])
})
