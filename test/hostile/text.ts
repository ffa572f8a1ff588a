import { failed, type Outcome } from './ways.ts'

type SendRow<Value> = [what: string, value: Value, outcome: Outcome]
const body = failed('BAD_USER_INPUT', 'body')
const recipient = failed('BAD_USER_INPUT', 'to.userId')
const clientId = failed('BAD_USER_INPUT', 'clientMessageId')
const notFound = failed('NOT_FOUND')

/** These are sent as the body of a message, by POST, WebSocket and REST. */
export const refusedBodies: SendRow<string>[] = [
  ['nothing', '', body],
  ['a space', ' ', body],
  ['white space of all kinds', ' \t\n\v\f\r\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000', body],
  ['zero-width characters', '\u200b\u200c\u200d\u2060', body],
  ['a byte order mark', '\ufeff', body],
  ['a soft hyphen', '\u00ad', body],
  ['a Hangul filler', '\u3164\uffa0\u115f', body],
  ['a Braille blank', '\u2800', body],
  ['an isolate and its end', '\u2067\u2069', body],
  ['a variation selector', '\ufe0f', body],
  ['tags', '\u{e0041}\u{e007f}', body],
  ['a control character', '\u0001\u001b', body],
  ['a NUL', '\0', body],
  ['a NUL in the middle', 'a\0b', body],
  ['the first half of a pair', 'a\ud83d', body],
  ['the second half of a pair', '\ude00a', body],
  ['a pair the wrong way round', '\ude00\ud83d', body],
  ['4,097 letters', 'x'.repeat(4097), body],
  ['4,097 emoji', '😀'.repeat(4097), body],
  ['20,000 letters', 'x'.repeat(20_000), body],
]

/** These are kept byte by byte, however odd they are. */
export const keptBodies: [what: string, text: string][] = [
  ['4,096 emoji', '😀'.repeat(4096)],
  ['a combining mark, not composed', 'e\u0301 and \u00e9'],
  ['a pile of combining marks', `Z${'\u0300\u0323\u0489'.repeat(300)}`],
  ['a family, joined', '👩\u200d👩\u200d👧\u200d👦'],
  ['flags and skin tones', '🇦🇹🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 👍🏿'],
  ['a right-to-left override', '\u202etxt\u202c'],
  ['Arabic, Hebrew and Latin at once', 'abc \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 123'],
  ['line ends of all kinds', 'a\r\nb\nc\rd\u2028e\u2029f'],
  ['control characters around a letter', '\u0001a\u001b[31m\u007f'],
  ['noncharacters', 'a\ufffe\uffff\u{1ffff}\u{10ffff}'],
  ['private use', '\ue000\u{f0000}'],
  ['a byte order mark and a letter', '\ufeffa'],
  ['a replacement character', '\ufffd'],
  ['spaces at both ends', '  a  '],
  ['escapes that are text', '\\u0000 \\ud83d \\n %00 &lt; \\'],
  ['JSON', '{"type":"complete","id":"1"}'],
  ['HTML', '<img src=x onerror=alert(1)>'],
  ['a format string', '%s %n {{7*7}} #{7*7}'],
  ['a prototype', '__proto__'],
  ['a server-sent event', 'event: complete\ndata:\n\n'],
]

export const refusedClientIds: SendRow<string>[] = [
  ['nothing', '', clientId],
  ['a space', 'a b', clientId],
  ['an umlaut', 'ä', clientId],
  ['65 letters', 'x'.repeat(65), clientId],
  ['a slash', 'a/b', clientId],
  ['a hash', 'a#b', clientId],
  ['a line end', 'a\n', clientId],
  ['a NUL', 'a\0', clientId],
  ['a full-width letter', '\uff41', clientId],
  ['an emoji', '😀', clientId],
]

export const refusedUsers: SendRow<string>[] = [
  ['nobody', '', recipient],
  ['a space', 'a b', recipient],
  ['a direct chat', 'dm_x', recipient],
  ['a group', 'grp_x', recipient],
  ['a message', 'msg_x', recipient],
  ['129 letters', 'x'.repeat(129), recipient],
  ['an umlaut', 'ü', recipient],
  ['a letter that only looks like one', '\u0430lice', recipient],
  ['a slash', 'a/b', recipient],
  ['a line end', 'bob\n', recipient],
  ['a NUL', 'bob\0', recipient],
  ['a zero-width space', 'bob\u200b', recipient],
]

export const unknownConversations: SendRow<string>[] = [
  ['a direct chat', 'dm_x', notFound],
  ['a group', 'grp_1', notFound],
  ['a user', 'bob', notFound],
  ['nothing', '', notFound],
  ['a message', 'msg_dm_x_1', notFound],
  ['a pattern', 'dm_*', notFound],
  ['a prototype', '__proto__', notFound],
]
