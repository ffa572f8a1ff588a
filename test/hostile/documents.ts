import { type Outcome, refused } from './ways.ts'

export type DocumentRow = [what: string, query: string, outcome: Outcome, operationName?: string]

const parse = refused('GRAPHQL_PARSE_FAILED')
const invalid = refused('GRAPHQL_VALIDATION_FAILED')
const tooComplex = refused('QUERY_TOO_COMPLEX')

/** These are answered alike by POST, GET and WebSocket. */
export const documents: DocumentRow[] = [
  ['only spaces', '   ', parse],
  ['only a comment', '# { viewer { id } }', parse],
  ['only a byte order mark', '\ufeff', parse],
  ['prose', 'please give me everything', parse],
  ['JSON', '{"query":"{ viewer { id } }"}', parse],
  ['an opening brace', '{', parse],
  ['a closing brace', '}', parse],
  ['empty braces', '{}', parse],
  ['a brace too few', '{ viewer { id }', parse],
  ['a brace too many', '{ viewer { id } } }', parse],
  ['an empty selection', '{ viewer {} }', parse],
  ['empty arguments', '{ viewer() { id } }', parse],
  ['an argument without a value', '{ node(id:) { id } }', parse],
  ['an alias without a field', '{ a: }', parse],
  ['a spread of nothing', '{ ... }', parse],
  ['a variable without a type', 'query ($a:) { viewer { id } }', parse],
  ['a list type that stays open', 'query ($a: [Int) { viewer { id } }', parse],
  ['a fragment called on', 'fragment on on Query { viewer { id } } { viewer { id } }', parse],
  ['a string that stays open', '{ node(id: "x) { id } }', parse],
  ['a block string that stays open', '{ node(id: """x) { id } }', parse],
  ['a line end in a string', '{ node(id: "a\nb") { id } }', parse],
  ['an escape that is none', '{ node(id: "\\x41") { id } }', parse],
  ['half a surrogate pair, escaped', '{ node(id: "\\uD83D") { id } }', parse],
  ['a code point beyond Unicode', '{ node(id: "\\u{110000}") { id } }', parse],
  ['a number with a leading zero', '{ conversations(first: 01) { edges { cursor } } }', parse],
  ['a number that ends in a point', '{ conversations(first: 1.) { edges { cursor } } }', parse],
  ['a NUL', '{ viewer { id \0 } }', parse],
  ['a control character', '{ viewer { id \u0007 } }', parse],
  ['an emoji for a field', '{ 😀 }', parse],
  ['a letter that only looks like one', '{ v\u0456ewer { id } }', parse],
  ['a zero-width space in a name', '{ vie\u200bwer { id } }', parse],
  ['a no-break space between names', '{\u00a0viewer { id } }', parse],
  ['full-width braces', '\uff5b viewer { id } \uff5d', parse],
  ['a right-to-left override', '{ viewer { id } }\u202e', parse],
  ['SQL', "SELECT * FROM messages; DROP TABLE messages; --'", parse],
  ['HTML', '<script>alert(1)</script>', parse],

  ['a field that does not exist', '{ nobody }', invalid],
  ['a field of everything in JavaScript', '{ constructor }', invalid],
  ['a prototype', '{ __proto__ }', invalid],
  ['an object without a selection', '{ viewer }', invalid],
  ['a selection in a leaf', '{ viewer { id { id } } }', invalid],
  ['an argument that does not exist', '{ viewer(id: 1) { id } }', invalid],
  ['a missing argument', '{ node { id } }', invalid],
  ['null for what must not be null', '{ node(id: null) { id } }', invalid],
  ['the same argument twice', '{ node(id: "a", id: "b") { id } }', invalid],
  ['text for a number', '{ conversations(first: "1") { edges { cursor } } }', invalid],
  ['a fraction for a whole number', '{ conversations(first: 1.5) { edges { cursor } } }', invalid],
  ['a number beyond 32 bits', '{ conversations(first: 2147483648) { edges { cursor } } }', invalid],
  ['an object for an id', '{ node(id: { a: 1 }) { id } }', invalid],
  ['a directive that does not exist', '{ viewer @admin { id } }', invalid],
  ['a directive without its argument', '{ viewer @skip { id } }', invalid],
  ['a directive in the wrong place', 'query @skip(if: true) { viewer { id } }', invalid],
  ['the same directive twice', '{ viewer @skip(if: false) @skip(if: false) { id } }', invalid],
  ['a variable that is not declared', '{ node(id: $id) { id } }', invalid],
  ['a variable that is not used', 'query ($id: ID) { viewer { id } }', invalid],
  ['a variable declared twice', 'query ($a: ID!, $a: ID!) { node(id: $a) { id } }', invalid],
  ['a variable of another type', 'query ($id: Int!) { node(id: $id) { id } }', invalid],
  ['a variable that may be null', 'query ($id: ID) { node(id: $id) { id } }', invalid],
  ['a variable of a type that is no input', 'query ($u: User) { viewer { id } }', invalid],
  ['a variable of a type that does not exist', 'query ($u: Nothing) { viewer { id } }', invalid],
  ['a fragment that does not exist', '{ ...nothing }', invalid],
  ['a fragment that is not used', '{ viewer { id } } fragment f on User { id }', invalid],
  ['a fragment in itself', '{ viewer { ...f } } fragment f on User { id ...f }', invalid],
  ['fragments in each other', '{ viewer { ...f } } fragment f on User { ...g } fragment g on User { ...f }', invalid],
  ['a fragment on a type that does not exist', '{ viewer { ... on Nothing { id } } }', invalid],
  ['a fragment that can never apply', '{ viewer { ... on Message { id } } }', invalid],
  ['a fragment on a leaf', '{ viewer { ... on String { id } } }', invalid],
  ['two operations without a name', '{ viewer { id } } { viewer { id } }', invalid],
  ['two operations of the same name', 'query A { viewer { id } } query A { viewer { id } }', invalid],
  ['two fields under one name', '{ viewer { id: name id } }', invalid],
  ['a definition of a type', 'type Query { all: String } { viewer { id } }', invalid],
  ['an extension of the schema', 'extend type Query { all: String } { viewer { id } }', invalid],
  ['only a fragment', 'fragment f on User { id }', invalid],
  ['an operation that is not there', 'query A { viewer { id } }', invalid, 'B'],
  ['two operations, and none chosen', 'query A { viewer { id } } query B { viewer { id } }', invalid],

  ['selections 3,000 deep', `${'{a'.repeat(3000)}${'}'.repeat(3000)}`, tooComplex],
  ['a list 5,000 deep', `{ node(id: ${'['.repeat(5000)}`, tooComplex],
  ['2,500 tokens', `{ ${'a '.repeat(2500)}}`, tooComplex],
  ['1,000 aliases', `{ ${Array.from({ length: 1000 }, (_, i) => `a${i}:__typename`).join(' ')} }`, tooComplex],
]

const mutation = (field: string) => `mutation { ${field} }`
const send = (to: string) =>
  mutation(`sendMessage(input: { clientMessageId: "a", body: "b", to: ${to} }) { duplicate }`)

/** These are mutations, by POST and WebSocket; for GET see the rest of the table. */
export const mutations: DocumentRow[] = [
  ['two recipients', send('{ userId: "a", conversationId: "b" }'), invalid],
  ['no recipient', send('{}'), invalid],
  ['a recipient that is null', send('{ userId: null }'), invalid],
  ['a recipient that is a string', send('"bob"'), invalid],
  ['a recipient of another kind', send('{ groupId: "b" }'), invalid],
  ['no input', mutation('sendMessage { duplicate }'), invalid],
  ['an input without its fields', mutation('ack(input: {}) { ticks { userId } }'), invalid],
  [
    'a field of an input twice',
    mutation('ack(input: { conversationId: "a", seq: 1, seq: 2 }) { ticks { userId } }'),
    invalid,
  ],
  [
    'a seq beyond 32 bits',
    mutation('ack(input: { conversationId: "a", seq: 3000000000 }) { ticks { userId } }'),
    invalid,
  ],
  [
    'a role that does not exist',
    mutation(
      'updateMembers(input: { conversationId: "a", roles: [{ userId: "a", role: KING }] }) { conversation { id } }',
    ),
    invalid,
  ],
  [
    'a date that is none',
    mutation('updateConversation(input: { conversationId: "a", mutedUntil: "tomorrow" }) { conversation { id } }'),
    invalid,
  ],
]

/** These are answered by SSE and WebSocket. */
export const subscriptions: DocumentRow[] = [
  ['two root fields', 'subscription { conversationChanged { id } ticksChanged { userId } }', invalid],
  ['introspection for an event', 'subscription { __typename }', invalid],
  ['a root field that is left out', 'subscription { conversationChanged @skip(if: true) { id } }', invalid],
  [
    'a root field left out in a fragment',
    'subscription { ... @include(if: false) { conversationChanged { id } } }',
    invalid,
  ],
  [
    'a root field left out by a fragment elsewhere',
    'subscription { ...f } fragment f on Subscription { conversationChanged @skip(if: true) { id } }',
    invalid,
  ],
  ['no selection', 'subscription { conversationChanged }', invalid],
  ['a missing argument', 'subscription { typingChanged { userId } }', invalid],
  ['an argument that does not exist', 'subscription { conversationChanged(of: "x") { id } }', invalid],
  ['a syntax error', 'subscription { conversationChanged { id }', parse],
]
