import { bodyMaxCodePoints } from './limits.ts'

// The braille blank U+2800 is a symbol by category but shows nothing.
const invisible = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]*$/u
const loneSurrogate = /\p{Surrogate}/u

/** Returns why the server would refuse this text, in its words, or undefined if it would not. The text itself is never changed. */
export function bodyProblem(body: string): string | undefined {
  if (body.length > 2 * bodyMaxCodePoints || [...body].length > bodyMaxCodePoints) {
    return `A message has at most ${bodyMaxCodePoints} characters.`
  }
  if (loneSurrogate.test(body)) return 'A message must be well-formed Unicode: it holds half a surrogate pair.'
  if (body.includes('\0')) return 'A message must not hold a NUL character.'
  if (invisible.test(body)) return 'A message must hold at least one visible character.'
  return undefined
}
