const one = String.raw`(?:\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3|\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}\u{E0020}-\u{E007F}]*(?:\u200D\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]*)*)`
const only = new RegExp(String.raw`^\s*(?:${one}\s*){1,3}$`, 'u')

/** Says whether a text is one to three emoji and nothing else. Such a text is shown large. */
export const isEmojiOnly = (text: string): boolean => text.length <= 100 && only.test(text)
