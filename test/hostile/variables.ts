import { failed, type Outcome, type Request, refused, unfit } from './ways.ts'

/** These exist and can be asked for: `chat` holds one message, `notes` is another chat of the viewer, `group` is one of theirs. */
export type Stage = {
  chat: string
  notes: string
  group: string
  cursor: string
  notesCursor: string
  chatsCursor: string
  bob: string
}
type VariableRow = [
  what: string,
  operation: keyof typeof operations,
  variables: (stage: Stage) => unknown,
  outcome: Outcome,
]

export const operations = {
  page: 'query ($id: ID!, $first: Int, $last: Int, $after: String, $before: String) { messages(conversationId: $id, first: $first, last: $last, after: $after, before: $before) { edges { cursor } } }',
  chats:
    'query ($first: Int, $last: Int, $after: String, $before: String) { conversations(first: $first, last: $last, after: $after, before: $before) { edges { cursor } } }',
  node: 'query ($id: ID!) { node(id: $id) { id } }',
  ack: 'mutation ($input: AckInput!) { ack(input: $input) { ticks { userId } } }',
  markRead: 'mutation ($input: MarkReadInput!) { markRead(input: $input) { ticks { userId } } }',
  send: 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { duplicate } }',
  edit: 'mutation ($input: EditMessageInput!) { editMessage(input: $input) { message { id } } }',
  remove: 'mutation ($input: DeleteMessageInput!) { deleteMessage(input: $input) { message { id } } }',
  react: 'mutation ($input: ReactInput!) { react(input: $input) { message { id } } }',
  createGroup: 'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { conversation { id } } }',
  updateMembers: 'mutation ($input: UpdateMembersInput!) { updateMembers(input: $input) { conversation { id } } }',
  leave: 'mutation ($input: LeaveConversationInput!) { leaveConversation(input: $input) { conversationId } }',
  settings: 'mutation ($input: UpdateConversationInput!) { updateConversation(input: $input) { conversation { id } } }',
  profile: 'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }',
  block: 'mutation ($input: SetBlockedInput!) { setBlocked(input: $input) { blocked } }',
  typing: 'mutation ($input: SetTypingInput!) { setTyping(input: $input) { ok } }',
  upload: 'mutation ($input: CreateUploadInput!) { createUpload(input: $input) { uploadUrl } }',
  register: 'mutation ($input: RegisterDeviceInput!) { registerDevice(input: $input) { deviceId } }',
} as const

export const isQuery = ({ query }: Request): boolean => query.startsWith('query')

const bad = (field: string) => failed('BAD_USER_INPUT', field)
const wrongType = (field: string) => unfit('BAD_USER_INPUT', field)
const noCursor = (field: string) => failed('INVALID_CURSOR', field)
const notFound = failed('NOT_FOUND')
const outOfRange = failed('SEQ_OUT_OF_RANGE', 'seq')
const changed = (text: string) => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`
const target = (chat: string) => ({ conversationId: chat, seq: 1, clientMessageId: 'change-1' })

export const variables: VariableRow[] = [
  ['first: 0', 'page', ({ chat }) => ({ id: chat, first: 0 }), bad('first')],
  ['first: -1', 'page', ({ chat }) => ({ id: chat, first: -1 }), bad('first')],
  ['first: 101', 'page', ({ chat }) => ({ id: chat, first: 101 }), bad('first')],
  ['last: 0', 'page', ({ chat }) => ({ id: chat, last: 0 }), bad('last')],
  ['last: 101', 'page', ({ chat }) => ({ id: chat, last: 101 }), bad('last')],
  ['first and last', 'page', ({ chat }) => ({ id: chat, first: 1, last: 1 }), bad('last')],
  ['first: 0, of chats', 'chats', () => ({ first: 0 }), bad('first')],
  ['last: 101, of chats', 'chats', () => ({ last: 101 }), bad('last')],
  ['first and last, of chats', 'chats', () => ({ first: 1, last: 1 }), bad('last')],
  ['first as text', 'chats', () => ({ first: '1' }), wrongType('first')],
  ['first as a fraction', 'chats', () => ({ first: 1.5 }), wrongType('first')],
  ['first beyond 32 bits', 'chats', () => ({ first: 2 ** 31 }), wrongType('first')],
  ['first as true', 'chats', () => ({ first: true }), wrongType('first')],
  ['first as a list', 'chats', () => ({ first: [1] }), wrongType('first')],

  ['a cursor of nothing', 'page', ({ chat }) => ({ id: chat, after: '' }), noCursor('after')],
  ['a cursor of nonsense', 'page', ({ chat }) => ({ id: chat, after: 'nonsense' }), noCursor('after')],
  ['a changed cursor', 'page', ({ chat, cursor }) => ({ id: chat, after: changed(cursor) }), noCursor('after')],
  ['a longer cursor', 'page', ({ chat, cursor }) => ({ id: chat, after: `${cursor}A` }), noCursor('after')],
  ['a shorter cursor', 'page', ({ chat, cursor }) => ({ id: chat, after: cursor.slice(0, -1) }), noCursor('after')],
  ['a padded cursor', 'page', ({ chat, cursor }) => ({ id: chat, after: `${cursor}==` }), noCursor('after')],
  ['a cursor with a space', 'page', ({ chat, cursor }) => ({ id: chat, after: ` ${cursor}` }), noCursor('after')],
  [
    'a cursor of another chat',
    'page',
    ({ chat, notesCursor }) => ({ id: chat, after: notesCursor }),
    noCursor('after'),
  ],
  [
    'a cursor of the list of chats',
    'page',
    ({ chat, chatsCursor }) => ({ id: chat, after: chatsCursor }),
    noCursor('after'),
  ],
  ['a cursor of a chat for the list', 'chats', ({ cursor }) => ({ after: cursor }), noCursor('after')],
  ['a cursor of 10,000 letters', 'chats', () => ({ after: 'A'.repeat(10_000) }), noCursor('after')],
  ['a cursor of emoji', 'chats', () => ({ after: '😀'.repeat(20) }), noCursor('after')],
  ['a cursor with a NUL', 'chats', () => ({ after: 'AAAA\0' }), noCursor('after')],
  ['a wrong cursor before', 'page', ({ chat }) => ({ id: chat, last: 1, before: 'nonsense' }), noCursor('before')],
  ['a wrong cursor before, of chats', 'chats', () => ({ last: 1, before: 'nonsense' }), noCursor('before')],
  ['a cursor that is a number', 'chats', () => ({ after: 7 }), wrongType('after')],

  ['an unknown conversation', 'page', () => ({ id: 'dm_x' }), notFound],
  ['an unknown group', 'page', () => ({ id: 'grp_1' }), notFound],
  ['a conversation that is a user', 'page', ({ bob }) => ({ id: bob }), notFound],
  ['a conversation of no name', 'page', () => ({ id: '' }), notFound],
  ['a conversation that is a message', 'page', ({ chat }) => ({ id: `msg_${chat}_1` }), notFound],
  ['a conversation in capitals', 'page', ({ chat }) => ({ id: chat.toUpperCase() }), notFound],
  ['a conversation and a space', 'page', ({ chat }) => ({ id: `${chat} ` }), notFound],
  ['a conversation and a line end', 'page', ({ chat }) => ({ id: `${chat}\n` }), notFound],
  ['a conversation and a NUL', 'page', ({ chat }) => ({ id: `${chat}\0` }), notFound],
  ['a conversation of 10,000 letters', 'page', () => ({ id: `dm_${'x'.repeat(10_000)}` }), notFound],
  ['a path for a conversation', 'page', () => ({ id: '../../etc/passwd' }), notFound],
  ['a pattern for a conversation', 'page', () => ({ id: 'dm_*' }), notFound],
  ['a conversation, before its wrong page', 'page', () => ({ id: 'dm_x', first: 0 }), notFound],
  ['a conversation, before its wrong cursor', 'page', () => ({ id: 'dm_x', after: 'nonsense' }), notFound],
  ['no id', 'node', () => ({}), wrongType('id')],
  ['null for an id', 'node', () => ({ id: null }), wrongType('id')],
  ['an object for an id', 'node', () => ({ id: {} }), wrongType('id')],
  ['true for an id', 'node', () => ({ id: true }), wrongType('id')],
  ['a fraction for an id', 'node', () => ({ id: 1.5 }), wrongType('id')],

  ['no input', 'ack', () => ({}), wrongType('input')],
  ['an input that is null', 'ack', () => ({ input: null }), wrongType('input')],
  ['an input that is text', 'ack', () => ({ input: 'x' }), wrongType('input')],
  ['an input that is a list of two', 'ack', () => ({ input: [1, 2] }), wrongType('input')],
  ['an input without a seq', 'ack', () => ({ input: { conversationId: 'x' } }), wrongType('seq')],
  ['an input with more', 'ack', () => ({ input: { conversationId: 'x', seq: 1, admin: true } }), wrongType('admin')],
  ['a seq beyond 32 bits', 'ack', () => ({ input: { conversationId: 'x', seq: 3e9 } }), wrongType('seq')],
  ['a seq as text', 'ack', () => ({ input: { conversationId: 'x', seq: '1' } }), wrongType('seq')],
  ['ack 0', 'ack', ({ chat }) => ({ input: { conversationId: chat, seq: 0 } }), outOfRange],
  ['ack -1', 'ack', ({ chat }) => ({ input: { conversationId: chat, seq: -1 } }), outOfRange],
  ['ack beyond the end', 'ack', ({ chat }) => ({ input: { conversationId: chat, seq: 9999 } }), outOfRange],
  ['ack where one is a stranger', 'ack', () => ({ input: { conversationId: 'dm_x', seq: -1 } }), notFound],
  ['read 0', 'markRead', ({ chat }) => ({ input: { conversationId: chat, seq: 0 } }), outOfRange],
  [
    'read beyond the end',
    'markRead',
    ({ chat }) => ({ input: { conversationId: chat, seq: 2 ** 31 - 1 } }),
    outOfRange,
  ],
  ['read where one is a stranger', 'markRead', () => ({ input: { conversationId: 'dm_x', seq: 1 } }), notFound],

  [
    'edit of what does not exist',
    'edit',
    ({ chat }) => ({ input: { ...target(chat), seq: 9999, body: 'x' } }),
    notFound,
  ],
  ['edit to nothing', 'edit', ({ chat }) => ({ input: { ...target(chat), body: ' ' } }), bad('body')],
  [
    'edit with a bad id',
    'edit',
    ({ chat }) => ({ input: { ...target(chat), clientMessageId: 'a b', body: 'x' } }),
    bad('clientMessageId'),
  ],
  ['edit where one is a stranger', 'edit', () => ({ input: { ...target('dm_x'), body: '' } }), notFound],
  ['delete of what does not exist', 'remove', ({ chat }) => ({ input: { ...target(chat), seq: 0 } }), notFound],
  [
    'a reaction of two emoji',
    'react',
    ({ chat }) => ({ input: { ...target(chat), emoji: '👍👍', on: true } }),
    bad('emoji'),
  ],
  [
    'a reaction of a letter',
    'react',
    ({ chat }) => ({ input: { ...target(chat), emoji: 'a', on: true } }),
    bad('emoji'),
  ],
  ['a reaction of nothing', 'react', ({ chat }) => ({ input: { ...target(chat), emoji: '', on: true } }), bad('emoji')],
  [
    'a reaction with a pile of accents',
    'react',
    ({ chat }) => ({ input: { ...target(chat), emoji: `👍${'\u0301'.repeat(200)}`, on: true } }),
    bad('emoji'),
  ],
  [
    'a reaction of half an emoji',
    'react',
    ({ chat }) => ({ input: { ...target(chat), emoji: '\ud83d', on: true } }),
    bad('emoji'),
  ],

  [
    'a group without a title',
    'createGroup',
    () => ({ input: { clientGroupId: 'g', title: '', memberIds: [] } }),
    bad('title'),
  ],
  [
    'a group with a long title',
    'createGroup',
    () => ({ input: { clientGroupId: 'g', title: 'x'.repeat(101), memberIds: [] } }),
    bad('title'),
  ],
  [
    'a group with an invisible title',
    'createGroup',
    () => ({ input: { clientGroupId: 'g', title: '\u200b\u2060', memberIds: [] } }),
    bad('title'),
  ],
  [
    'a group with a bad id',
    'createGroup',
    () => ({ input: { clientGroupId: 'a/b', title: 'g', memberIds: [] } }),
    bad('clientGroupId'),
  ],
  [
    'a group of a bad user',
    'createGroup',
    () => ({ input: { clientGroupId: 'g', title: 'g', memberIds: ['a b'] } }),
    bad('memberIds'),
  ],
  [
    'a group of null',
    'createGroup',
    () => ({ input: { clientGroupId: 'g', title: 'g', memberIds: [null] } }),
    wrongType('memberIds.0'),
  ],
  [
    'a group of 1,025 people',
    'createGroup',
    () => ({ input: { clientGroupId: 'g', title: 'g', memberIds: Array.from({ length: 1025 }, (_, i) => `u${i}`) } }),
    bad('memberIds'),
  ],
  [
    'new members of a direct chat',
    'updateMembers',
    ({ chat }) => ({ input: { conversationId: chat, add: ['x'] } }),
    bad('conversationId'),
  ],
  [
    'a bad user into a group',
    'updateMembers',
    ({ group }) => ({ input: { conversationId: group, add: ['dm_x'] } }),
    bad('add'),
  ],
  [
    'a role for a bad user',
    'updateMembers',
    ({ group }) => ({ input: { conversationId: group, roles: [{ userId: '', role: 'ADMIN' }] } }),
    bad('roles.0.userId'),
  ],
  [
    'a role that does not exist',
    'updateMembers',
    ({ group }) => ({ input: { conversationId: group, roles: [{ userId: 'x', role: 'KING' }] } }),
    wrongType('roles.0.role'),
  ],
  ['leaving a direct chat', 'leave', ({ chat }) => ({ input: { conversationId: chat } }), bad('conversationId')],
  ['leaving what one is not in', 'leave', () => ({ input: { conversationId: 'grp_1' } }), notFound],
  [
    'a title for a direct chat',
    'settings',
    ({ chat }) => ({ input: { conversationId: chat, title: 'x' } }),
    bad('title'),
  ],
  [
    'no title for a group',
    'settings',
    ({ group }) => ({ input: { conversationId: group, title: null } }),
    bad('title'),
  ],
  ['null for pinned', 'settings', ({ chat }) => ({ input: { conversationId: chat, pinned: null } }), bad('pinned')],
  [
    'a date that is none',
    'settings',
    ({ chat }) => ({ input: { conversationId: chat, mutedUntil: '2026-13-45' } }),
    wrongType('mutedUntil'),
  ],
  [
    'a date that is a number',
    'settings',
    ({ chat }) => ({ input: { conversationId: chat, mutedUntil: 1e15 } }),
    wrongType('mutedUntil'),
  ],
  ...[
    '2030',
    '2030-01-01',
    '2030-01-01T00:00:00',
    '2030-01-01 00:00:00Z',
    '2030-02-30T00:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:00:60Z',
    '2030-01-01T00:00:00+24:00',
    '2030-01-01T00:00:00.Z',
    '+012030-01-01T00:00:00Z',
    '-002030-01-01T00:00:00Z',
    '0000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    'Tue, 01 Jan 2030 00:00:00 GMT',
  ].map(
    (mutedUntil): VariableRow => [
      `the date ${mutedUntil}`,
      'settings',
      ({ chat }) => ({ input: { conversationId: chat, mutedUntil } }),
      wrongType('mutedUntil'),
    ],
  ),

  ['a name of nothing', 'profile', () => ({ input: { name: '' } }), bad('name')],
  ['a name of 101 characters', 'profile', () => ({ input: { name: '😀'.repeat(101) } }), bad('name')],
  ['a picture by script', 'profile', () => ({ input: { avatarUrl: 'javascript:alert(1)' } }), bad('avatarUrl')],
  ['a picture in a file', 'profile', () => ({ input: { avatarUrl: 'file:///etc/passwd' } }), bad('avatarUrl')],
  [
    'a picture with a password',
    'profile',
    () => ({ input: { avatarUrl: 'https://a:b@example.org/' } }),
    bad('avatarUrl'),
  ],
  ['blocking oneself', 'block', () => ({ input: { userId: 'hostile-alice', blocked: true } }), bad('userId')],
  ['blocking nobody', 'block', () => ({ input: { userId: '', blocked: true } }), bad('userId')],
  ['typing where one is a stranger', 'typing', () => ({ input: { conversationId: 'dm_x', typing: true } }), notFound],
  ['a file of nothing', 'upload', () => ({ input: { contentType: 'image/png', byteSize: 0 } }), bad('byteSize')],
  ['a file of 2 GB', 'upload', () => ({ input: { contentType: 'image/png', byteSize: 2 ** 31 - 1 } }), bad('byteSize')],
  ['a file of no type', 'upload', () => ({ input: { contentType: 'png', byteSize: 1 } }), bad('contentType')],
  [
    'a type with a line end',
    'upload',
    () => ({ input: { contentType: 'image/png\r\nx: y', byteSize: 1 } }),
    bad('contentType'),
  ],
  [
    'a file name with a path',
    'upload',
    () => ({ input: { contentType: 'image/png', byteSize: 1, name: '../../x.png' } }),
    bad('name'),
  ],
  [
    'a file name written backwards',
    'upload',
    () => ({ input: { contentType: 'image/png', byteSize: 1, name: 'a\u202egnp.exe' } }),
    bad('name'),
  ],
  [
    'a device with a bad id',
    'register',
    () => ({ input: { deviceId: 'a b', platform: 'LOG', token: 'x' } }),
    bad('deviceId'),
  ],
  [
    'a device without a token',
    'register',
    () => ({ input: { deviceId: 'a', platform: 'LOG', token: '' } }),
    bad('token'),
  ],
  [
    'a device of another platform',
    'register',
    () => ({ input: { deviceId: 'a', platform: 'PIGEON', token: 'x' } }),
    wrongType('platform'),
  ],

  [
    'two recipients',
    'send',
    () => ({ input: { clientMessageId: 'a', body: 'b', to: { userId: 'a', conversationId: 'b' } } }),
    wrongType('to'),
  ],
  ['no recipient', 'send', () => ({ input: { clientMessageId: 'a', body: 'b', to: {} } }), wrongType('to')],
  [
    'a reply to what does not exist',
    'send',
    ({ chat }) => ({ input: { clientMessageId: 'a', body: 'b', to: { conversationId: chat }, replyToSeq: 9999 } }),
    bad('replyToSeq'),
  ],
  [
    'eleven attachments',
    'send',
    ({ chat }) => ({
      input: {
        clientMessageId: 'a',
        body: 'b',
        to: { conversationId: chat },
        attachmentIds: Array.from({ length: 11 }, (_, i) => `att_1_a${i}0000000`),
      },
    }),
    bad('attachmentIds'),
  ],
  [
    'an attachment that is none',
    'send',
    ({ chat }) => ({ input: { clientMessageId: 'a', body: 'b', to: { conversationId: chat }, attachmentIds: ['x'] } }),
    bad('attachmentIds'),
  ],
]

type SubscriptionRow = [what: string, query: string, variables: (stage: Stage) => unknown, outcome: Outcome]

const added =
  'subscription ($id: ID, $after: [PositionInput!]) { messageAdded(conversationId: $id, after: $after) { cursor } }'
const ticks = 'subscription ($id: ID) { ticksChanged(conversationId: $id) { userId } }'
const typing = 'subscription ($id: ID!) { typingChanged(conversationId: $id) { userId } }'
const presence = 'subscription ($ids: [ID!]!) { presenceChanged(userIds: $ids) { id } }'

export const subscriptionVariables: SubscriptionRow[] = [
  [
    'a position below zero',
    added,
    ({ chat }) => ({ after: [{ conversationId: chat, seq: -1 }] }),
    refused('BAD_USER_INPUT', 'after.0.seq'),
  ],
  [
    'a position beyond the end',
    added,
    // This is about this chat alone: in a stream of all chats, an event of another one may come first.
    ({ chat }) => ({ id: chat, after: [{ conversationId: chat, seq: 99 }] }),
    refused('SEQ_OUT_OF_RANGE', 'after'),
  ],
  [
    'a chat named twice',
    added,
    ({ chat }) => ({ after: Array(2).fill({ conversationId: chat, seq: 0 }) }),
    refused('BAD_USER_INPUT', 'after'),
  ],
  [
    '1,001 positions',
    added,
    () => ({ after: Array.from({ length: 1001 }, (_, i) => ({ conversationId: `dm_${i}`, seq: 0 })) }),
    refused('BAD_USER_INPUT', 'after'),
  ],
  [
    'a position below zero, after one in an unknown chat',
    added,
    ({ chat }) => ({
      after: [
        { conversationId: 'dm_x', seq: -1 },
        { conversationId: chat, seq: -1 },
      ],
    }),
    refused('BAD_USER_INPUT', 'after.1.seq'),
  ],
  [
    'a position without a seq',
    added,
    () => ({ after: [{ conversationId: 'dm_x' }] }),
    refused('BAD_USER_INPUT', 'after.0.seq'),
  ],
  ['a position that is null', added, () => ({ after: [null] }), refused('BAD_USER_INPUT', 'after.0')],
  ['an unknown chat', added, () => ({ id: 'dm_x' }), refused('NOT_FOUND')],
  ['a chat that is a number', added, () => ({ id: 1.5 }), refused('BAD_USER_INPUT', 'id')],
  ['ticks of an unknown chat', ticks, () => ({ id: 'dm_x' }), refused('NOT_FOUND')],
  ['typing in an unknown chat', typing, () => ({ id: 'grp_1' }), refused('NOT_FOUND')],
  ['typing in no chat', typing, () => ({}), refused('BAD_USER_INPUT', 'id')],
  ['presence of a bad user', presence, () => ({ ids: ['bob', 'a b'] }), refused('BAD_USER_INPUT', 'userIds.1')],
  [
    'presence of 101 people',
    presence,
    () => ({ ids: Array.from({ length: 101 }, (_, i) => `u${i}`) }),
    refused('BAD_USER_INPUT', 'userIds'),
  ],
  ['presence of null', presence, () => ({ ids: [null] }), refused('BAD_USER_INPUT', 'ids.0')],
]
