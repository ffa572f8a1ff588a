const lengthMax = 64
const graphemes = new Intl.Segmenter()
const pictograph = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|\u20E3/u

/** Why this cannot be a reaction, or undefined if it can. */
export function emojiProblem(text: string): string | undefined {
  const isOne = text.length <= lengthMax && [...graphemes.segment(text)].length === 1
  return isOne && pictograph.test(text) ? undefined : 'A reaction is exactly one emoji.'
}
