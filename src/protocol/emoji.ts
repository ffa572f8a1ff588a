import { emojiMaxBytes } from './limits.ts'

// Checks for one emoji by the grammar of UTS #51: a keycap, a flag, or up to four pictures joined to one. The pictures and flags are those that
// Unicode recommends; how they are joined is left open, so that next year's families need no new server.

const pictures = /^\p{Emoji}$/u
const keycap = /^[0-9#*]\uFE0F?\u20E3$/u
const flag = /^(?:\p{Regional_Indicator}{2}|\u{1F3F4}[\u{E0030}-\u{E007A}]+\u{E007F})$/u
/** Flags of countries and of parts of them. The compiler's target does not know the flag `v` yet. */
const setNotation = 'v'
const knownFlag = new RegExp('^(?:\\p{RGI_Emoji_Flag_Sequence}|\\p{RGI_Emoji_Tag_Sequence})$', setNotation)
const skinTone = /^\p{Emoji_Modifier}$/u
const hasSkin = /^\p{Emoji_Modifier_Base}$/u
const textual = /^[0-9#*\p{Regional_Indicator}]$/u
const joiner = '\u200D'
const asPicture = '\uFE0F'
const picturesMax = 4

/** Returns why this cannot be a reaction, or undefined if it can. */
export function emojiProblem(text: string): string | undefined {
  const isShort = text.length <= emojiMaxBytes && bytesOf(text) <= emojiMaxBytes
  const isOne = isShort && (keycap.test(text) || (flag.test(text) ? knownFlag.test(text) : isPicture(text)))
  return isOne ? undefined : 'A reaction is exactly one emoji.'
}

function isPicture(text: string): boolean {
  const parts = text.split(joiner)
  return parts.length <= picturesMax && parts.every(isPart)
}

/** Whether this is a picture, perhaps with a skin tone or a variation selector. */
function isPart(part: string): boolean {
  const [picture = '', ...rest] = [...part]
  const isThere = pictures.test(picture) && !textual.test(picture)
  const [next] = rest
  if (!isThere || rest.length > 1) return false
  return next === undefined || next === asPicture || (skinTone.test(next) && hasSkin.test(picture))
}

const encoder = new TextEncoder()

/** Counts bytes of UTF-8, as DynamoDB does. */
export const bytesOf = (text: string): number => encoder.encode(text).length
