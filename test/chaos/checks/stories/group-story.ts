import type { Change, GroupChange, LogRow, Message } from '../../../../src/ports/log.ts'
import { check } from '../checker.ts'
import {
  type Call,
  type ChangeAsk,
  type ChangedSeen,
  emptyHistory,
  type GroupMember,
  type GroupRequest,
  type GroupSeen,
  type History,
  type Look,
  type MessageSeen,
  type Outcome,
} from '../history.ts'

export const id = 'grp_1'
export const node = 'http://node'
const startedAtMs = 1_000_000
export const plain: Look = { edited: false, deleted: false, reactions: {} }

const entry = (seq: number, senderId: string, clientMessageId: string) =>
  ({
    conversationId: id,
    seq,
    messageId: String(seq * 100),
    clientMessageId,
    senderId,
    sentAtMs: startedAtMs + seq * 10,
  }) as never as Message

export const text = (
  seq: number,
  senderId: string,
  clientMessageId: string,
  body: string,
  more: object = {},
): Message => ({
  ...entry(seq, senderId, clientMessageId),
  kind: 'message',
  body,
  ...more,
})

export const alters = (seq: number, senderId: string, clientMessageId: string, targetSeq: number, alteration: object) =>
  ({ ...entry(seq, senderId, clientMessageId), kind: 'change', targetSeq, alteration }) as Change

export const turns = (seq: number, clientMessageId: string, baseVersion: number, change: object) =>
  ({
    ...entry(seq, 'alice', clientMessageId),
    kind: 'group',
    baseVersion,
    added: [],
    removed: [],
    roles: [],
    ...change,
  }) as never as GroupChange

export const member = (userId: string, joinedSeq: number, role: GroupMember['role'] = 'MEMBER'): GroupMember => ({
  userId,
  role,
  joinedSeq,
})
export const group = (...members: GroupMember[]): GroupSeen => ({ id, title: 'friends', members })
export const atFirst = group(member('alice', 1, 'OWNER'), member('bob', 1))
export const withCarol = group(...atFirst.members, member('carol', 3))
export const withoutBob = group(member('alice', 1, 'OWNER'), member('carol', 3))

export const edit = { type: 'edit', body: 'a-3 newer' } as const
export const reaction = { type: 'reaction', emoji: '👍', on: true } as const

/** Alice founds it with Bob, adds Carol with #3 and removes Bob with #5. */
const rows = (): LogRow[] => [
  turns(1, '#g-1', 0, { added: ['alice', 'bob'], roles: [{ userId: 'alice', role: 'OWNER' }], title: 'friends' }),
  text(2, 'alice', 'a-1', '', { deletedAtMs: startedAtMs + 90 }),
  turns(3, 'r-1', 1, { added: ['carol'] }),
  text(4, 'bob', 'b-1', 'b-1 hi'),
  turns(5, 'r-2', 3, { removed: ['bob'] }),
  text(6, 'alice', 'a-2', edit.body, {
    edited: { seq: 7, atMs: startedAtMs + 70 },
    reactions: [{ emoji: '👍', userId: 'carol', seq: 8, on: true }],
  }),
  alters(7, 'alice', 'a-3', 6, edit),
  alters(8, 'carol', 'c-2', 6, reaction),
  alters(9, 'alice', 'a-4', 2, { type: 'delete' }),
  text(10, 'carol', 'c-1', 'c-1 bye'),
]

export const seenAs = (seq: number, senderId: string, body: string, look: Look = plain): MessageSeen => ({
  conversationId: id,
  seq,
  id: `msg_${id}_${seq}`,
  messageId: String(seq * 100),
  senderId,
  body,
  clientMessageId: null,
  look,
})

export const two = seenAs(2, 'alice', 'a-1 hello')
export const four = seenAs(4, 'bob', 'b-1 hi')
export const six = seenAs(6, 'alice', 'a-2 news')
export const ten = seenAs(10, 'carol', 'c-1 bye')
export const twoGone = { ...two, body: '', look: { ...plain, deleted: true } }
export const sixEdited = { ...six, body: edit.body, look: { ...plain, edited: true } }
export const sixLast = { ...sixEdited, look: { ...plain, edited: true, reactions: { '👍': 1 } } }

const ids: Record<number, string> = { 2: 'a-1', 4: 'b-1', 6: 'a-2', 10: 'c-1' }
export const shownTo =
  (userId: string) =>
  (each: MessageSeen): MessageSeen => ({
    ...each,
    clientMessageId: each.senderId === userId ? (ids[each.seq] ?? null) : null,
  })

export const call = (kind: Call['kind'], userId: string, atMs: number, ask: object, outcome: Outcome<unknown>) =>
  ({
    kind,
    client: `${userId}/phone`,
    userId,
    node,
    ask: { conversationId: id, ...ask },
    askedAtMs: atMs,
    endedAtMs: atMs + 7,
    outcome,
  }) as Call

export const send = (atMs: number, message: MessageSeen, clientMessageId = ids[message.seq] ?? '') =>
  call(
    'send',
    message.senderId,
    atMs,
    { clientMessageId, body: message.body, via: 'http', to: 'chat' },
    { answer: { message: shownTo(message.senderId)(message), duplicate: false } },
  )
export const turn = (userId: string, atMs: number, request: GroupRequest, answer: GroupSeen | 'left') =>
  call('group', userId, atMs, { request, ...(request.type === 'create' && { conversationId: '' }) }, { answer })
export const look = (userId: string, atMs: number, answer: GroupSeen) => turn(userId, atMs, { type: 'look' }, answer)
export const alter = (userId: string, atMs: number, ask: Omit<ChangeAsk, 'conversationId'>, answer: MessageSeen) =>
  call('change', userId, atMs, ask, { answer: shownTo(userId)(answer) })
export const page = (userId: string, atMs: number, messages: MessageSeen[]) =>
  call(
    'page',
    userId,
    atMs,
    { count: 10, from: 'newest', cursor: false },
    { answer: { messages: messages.map(shownTo(userId)), more: false } },
  )
export const refused = (kind: Call['kind'], userId: string, atMs: number, code: string, ask: object) =>
  call(kind, userId, atMs, ask, { refused: { code, retryable: false, message: 'no' } })

export const add = (...userIds: string[]): GroupRequest => ({ type: 'members', add: userIds, remove: [], roles: [] })
export const remove = (...userIds: string[]): GroupRequest => ({ type: 'members', add: [], remove: userIds, roles: [] })

export const follow = (userId: string, events: [MessageSeen, number][], after?: Record<string, number>) => ({
  client: `${userId}/phone`,
  userId,
  node,
  openedAtMs: 0,
  events: events.map(([message, previousSeq]) => ({
    message: shownTo(userId)(message),
    previousSeq,
    catchUp: false,
    atMs: message.seq * 10 + 6,
  })),
  ...(after && { after }),
})

export const followChanges = (
  userId: string,
  events: [MessageSeen, number, number][],
  after: Record<string, number> = { [id]: 0 },
) => ({
  client: `${userId}/phone`,
  userId,
  node,
  openedAtMs: 0,
  after,
  events: events.map(([message, seq, previousSeq]): ChangedSeen & { atMs: number } => ({
    message: shownTo(userId)(message),
    seq,
    previousSeq,
    catchUp: false,
    atMs: seq * 10 + 6,
  })),
})

export function aStory(change: (story: History) => void = () => undefined): History {
  const story = emptyHistory()
  story.startedAtMs = startedAtMs
  for (const userId of ['alice', 'bob', 'carol'])
    story.devices.push({ client: `${userId}/phone`, userId, sinceMs: 0, away: [], changes: true })
  story.calls.push(
    turn('alice', 8, { type: 'create', clientGroupId: 'g-1', title: 'friends', memberIds: ['bob'] }, atFirst),
    send(18, two),
    turn('alice', 28, add('carol'), withCarol),
    send(38, four),
    turn('alice', 48, remove('bob'), withoutBob),
    send(58, six),
    alter('alice', 68, { seq: 6, clientMessageId: 'a-3', alteration: edit }, sixEdited),
    alter('carol', 78, { seq: 6, clientMessageId: 'c-2', alteration: reaction }, sixLast),
    alter('alice', 88, { seq: 2, clientMessageId: 'a-4', alteration: { type: 'delete' } }, twoGone),
    send(98, ten),
    look('carol', 110, withoutBob),
    page('carol', 120, [ten, sixLast, four]),
  )
  story.streams.push(
    follow('alice', [
      [two, 0],
      [four, 2],
      [six, 4],
      [ten, 6],
    ]),
    follow('bob', [
      [two, 0],
      [four, 2],
    ]),
    follow(
      'carol',
      [
        [four, 0],
        [six, 4],
        [ten, 6],
      ],
      { [id]: 0 },
    ),
  )
  story.changeStreams.push(
    followChanges('alice', [
      [sixEdited, 7, 0],
      [sixLast, 8, 7],
      [twoGone, 9, 8],
    ]),
    followChanges('carol', [
      [sixEdited, 7, 0],
      [sixLast, 8, 7],
    ]),
  )
  const last = { alice: [twoGone, four, sixLast, ten], carol: [four, sixLast, ten] }
  for (const [userId, messages] of Object.entries(last))
    story.walks.push({
      node,
      userId,
      conversationId: id,
      direction: 'oldest first',
      messages: messages.map(shownTo(userId)),
    })
  story.tables.push({
    conversationId: id,
    rows: rows(),
    group: { ...withoutBob, members: [...withoutBob.members], version: 5 },
    indexed: ['alice', 'carol'],
  })
  change(story)
  return story
}

export const judge = (change: (story: History) => void) =>
  check(aStory(change)).map(({ promise, text: said }) => `${promise}: ${said}`)
export const calls = (...more: Call[]) => judge((story) => void story.calls.push(...more))
export const tables = (change: (table: History['tables'][number]) => void) =>
  judge(({ tables: [table] }) => void (table && change(table)))
/** Returns the row of a message, which the test then spoils. */
export const row = (seq: number, change: object) =>
  tables((table) => {
    table.rows = table.rows.map((each) => (each.seq === seq ? ({ ...each, ...change } as LogRow) : each))
  })
