import { bodyMaxCodePoints, titleMaxCodePoints } from './limits.ts'

// The braille blank U+2800 is a symbol by category but shows nothing.
const invisible = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]*$/u
const lineBreaks = /[\p{Cc}\u2028\u2029]/u
const directions = /\p{Bidi_Control}/u
const loneSurrogate = /\p{Surrogate}/u

/** Returns why this text cannot be a message, or undefined if it can. The text itself is never changed. */
export const bodyProblem = (body: string): string | undefined => textProblem(body, 'A message', bodyMaxCodePoints)

/** Does the same for the title of a group. */
export const titleProblem = (title: string): string | undefined => lineProblem(title, 'A title', titleMaxCodePoints)

/**
 * Does the same for a text that others see within a line, such as a name. A line break or a control of the writing direction in it would change
 * what stands around it: a user could make a line look like another person's.
 */
export function lineProblem(text: string, what: string, maxCodePoints: number): string | undefined {
  const problem = textProblem(text, what, maxCodePoints)
  if (problem !== undefined) return problem
  if (lineBreaks.test(text)) return `${what} must be one line, without control characters.`
  if (directions.test(text)) return `${what} must not hold characters that control the direction of writing.`
  return undefined
}

/** Removes from a text what `lineProblem` refuses, for texts that cannot be refused. */
export const toLine = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\p{Bidi_Control}\p{Surrogate}]/gu, '')

export const isInvisible = (text: string): boolean => invisible.test(text)

/** Does the same for any text. The answer begins with `what` the text would be. */
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
