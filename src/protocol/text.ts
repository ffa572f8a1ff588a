import { bodyMaxCodePoints, titleMaxCodePoints } from './limits.ts'

// Braille blank is a symbol by category but shows nothing.
const invisible = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]*$/u
const loneSurrogate = /\p{Surrogate}/u

/** Why this text cannot be a message, or undefined if it can. The text itself is never changed. */
export const bodyProblem = (body: string): string | undefined => textProblem(body, 'A message', bodyMaxCodePoints)

/** The same for the title of a group. */
export const titleProblem = (title: string): string | undefined => textProblem(title, 'A title', titleMaxCodePoints)

/** The same for any text; `what` it would be begins the answer. */
export function textProblem(text: string, what: string, maxCodePoints: number): string | undefined {
  if (text.length > 2 * maxCodePoints || codePoints(text) > maxCodePoints) {
    return `${what} has at most ${maxCodePoints} characters.`
  }
  if (!isWellFormed(text)) return `${what} must be well-formed Unicode: it holds half a surrogate pair.`
  if (text.includes('\0')) return `${what} must not hold a NUL character.`
  if (invisible.test(text)) return `${what} must hold at least one visible character.`
  return undefined
}

export const isWellFormed = (text: string): boolean => !loneSurrogate.test(text)

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
