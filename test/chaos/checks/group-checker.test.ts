import { describe, expect, it } from 'vitest'
import type { Change, GroupChange, LogRow, Message } from '../../../src/ports/log.ts'
import { check } from './checker.ts'
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
} from './history.ts'
import { earliestOf } from './tenures.ts'

const id = 'grp_1'
const node = 'http://node'
const startedAtMs = 1_000_000
const plain: Look = { edited: false, deleted: false, reactions: {} }

const entry = (seq: number, senderId: string, clientMessageId: string) =>
  ({
    conversationId: id,
    seq,
    messageId: String(seq * 100),
    clientMessageId,
    senderId,
    sentAtMs: startedAtMs + seq * 10,
  }) as never as Message

const text = (seq: number, senderId: string, clientMessageId: string, body: string, more: object = {}): Message => ({
  ...entry(seq, senderId, clientMessageId),
  kind: 'message',
  body,
  ...more,
})

const alters = (seq: number, senderId: string, clientMessageId: string, targetSeq: number, alteration: object) =>
  ({ ...entry(seq, senderId, clientMessageId), kind: 'change', targetSeq, alteration }) as Change

const turns = (seq: number, clientMessageId: string, baseVersion: number, change: object) =>
  ({
    ...entry(seq, 'alice', clientMessageId),
    kind: 'group',
    baseVersion,
    added: [],
    removed: [],
    roles: [],
    ...change,
  }) as never as GroupChange

const member = (userId: string, joinedSeq: number, role: GroupMember['role'] = 'MEMBER'): GroupMember => ({
  userId,
  role,
  joinedSeq,
})
const group = (...members: GroupMember[]): GroupSeen => ({ id, title: 'friends', members })
const atFirst = group(member('alice', 1, 'OWNER'), member('bob', 1))
const withCarol = group(...atFirst.members, member('carol', 3))
const withoutBob = group(member('alice', 1, 'OWNER'), member('carol', 3))

const edit = { type: 'edit', body: 'a-3 newer' } as const
const reaction = { type: 'reaction', emoji: '👍', on: true } as const

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

const seenAs = (seq: number, senderId: string, body: string, look: Look = plain): MessageSeen => ({
  conversationId: id,
  seq,
  id: `msg_${id}_${seq}`,
  messageId: String(seq * 100),
  senderId,
  body,
  clientMessageId: null,
  look,
})

const two = seenAs(2, 'alice', 'a-1 hello')
const four = seenAs(4, 'bob', 'b-1 hi')
const six = seenAs(6, 'alice', 'a-2 news')
const ten = seenAs(10, 'carol', 'c-1 bye')
const twoGone = { ...two, body: '', look: { ...plain, deleted: true } }
const sixEdited = { ...six, body: edit.body, look: { ...plain, edited: true } }
const sixLast = { ...sixEdited, look: { ...plain, edited: true, reactions: { '👍': 1 } } }

const ids: Record<number, string> = { 2: 'a-1', 4: 'b-1', 6: 'a-2', 10: 'c-1' }
const shownTo =
  (userId: string) =>
  (each: MessageSeen): MessageSeen => ({
    ...each,
    clientMessageId: each.senderId === userId ? (ids[each.seq] ?? null) : null,
  })

const call = (kind: Call['kind'], userId: string, atMs: number, ask: object, outcome: Outcome<unknown>) =>
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

const send = (atMs: number, message: MessageSeen, clientMessageId = ids[message.seq] ?? '') =>
  call(
    'send',
    message.senderId,
    atMs,
    { clientMessageId, body: message.body, via: 'http', to: 'chat' },
    { answer: { message: shownTo(message.senderId)(message), duplicate: false } },
  )
const turn = (userId: string, atMs: number, request: GroupRequest, answer: GroupSeen | 'left') =>
  call('group', userId, atMs, { request, ...(request.type === 'create' && { conversationId: '' }) }, { answer })
const look = (userId: string, atMs: number, answer: GroupSeen) => turn(userId, atMs, { type: 'look' }, answer)
const alter = (userId: string, atMs: number, ask: Omit<ChangeAsk, 'conversationId'>, answer: MessageSeen) =>
  call('change', userId, atMs, ask, { answer: shownTo(userId)(answer) })
const page = (userId: string, atMs: number, messages: MessageSeen[]) =>
  call(
    'page',
    userId,
    atMs,
    { count: 10, from: 'newest', cursor: false },
    { answer: { messages: messages.map(shownTo(userId)), more: false } },
  )
const refused = (kind: Call['kind'], userId: string, atMs: number, code: string, ask: object) =>
  call(kind, userId, atMs, ask, { refused: { code, retryable: false, message: 'no' } })

const add = (...userIds: string[]): GroupRequest => ({ type: 'members', add: userIds, remove: [], roles: [] })
const remove = (...userIds: string[]): GroupRequest => ({ type: 'members', add: [], remove: userIds, roles: [] })

const follow = (userId: string, events: [MessageSeen, number][], after?: Record<string, number>) => ({
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

const followChanges = (
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

function aStory(change: (story: History) => void = () => undefined): History {
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

const judge = (change: (story: History) => void) =>
  check(aStory(change)).map(({ promise, text: said }) => `${promise}: ${said}`)
const calls = (...more: Call[]) => judge((story) => void story.calls.push(...more))
const tables = (change: (table: History['tables'][number]) => void) =>
  judge(({ tables: [table] }) => void (table && change(table)))
/** The row of a message, to be spoiled. */
const row = (seq: number, change: object) =>
  tables((table) => {
    table.rows = table.rows.map((each) => (each.seq === seq ? ({ ...each, ...change } as LogRow) : each))
  })

describe('a good history of a group', () => {
  it('has no anomaly', () => expect(check(aStory())).toEqual([]))

  it('may turn away whoever is not in it, or may not do that', () => {
    expect(
      calls(
        refused('page', 'bob', 130, 'NOT_FOUND', { count: 1, from: 'newest', cursor: false }),
        refused('group', 'bob', 130, 'NOT_FOUND', { request: { type: 'look' } }),
        refused('group', 'carol', 130, 'FORBIDDEN', { request: add('bob') }),
        refused('change', 'carol', 130, 'FORBIDDEN', {
          seq: 6,
          clientMessageId: 'c-9',
          alteration: { type: 'delete' },
        }),
        refused('change', 'carol', 130, 'NOT_FOUND', { seq: 2, clientMessageId: 'c-8', alteration: reaction }),
        refused('change', 'alice', 130, 'BAD_USER_INPUT', { seq: 2, clientMessageId: 'a-9', alteration: edit }),
        refused('change', 'alice', 88, 'BAD_USER_INPUT', { seq: 2, clientMessageId: 'a-9', alteration: edit }),
      ),
    ).toEqual([])
  })

  it('may answer either way while it is being decided', () => {
    // Bob is removed by a call from 48 to 55.
    expect(calls(page('bob', 49, [four, two]), refused('ack', 'bob', 50, 'NOT_FOUND', { seq: 2 }))).toEqual([])
  })

  it('may hold a change of the group that never took effect', () => {
    expect(tables(({ rows: all }) => void all.push(turns(11, 'r-3', 3, { added: ['dave'] })))).toEqual([])
  })

  it('may show a page as it was before a change that was not acknowledged yet', () => {
    expect(calls(page('carol', 69, [six, four]))).toEqual([])
  })
})

describe('the group', () => {
  it('is what its log makes of it', () => {
    const role = tables(({ group: shown }) => void shown?.members.splice(0, 1, member('alice', 1)))
    expect(role).toEqual([expect.stringMatching(/^groups: the row of version 5 is not what its log makes/)])
    const orphan = tables((table) => {
      table.rows = table.rows.filter(({ seq }) => seq !== 3)
    })
    expect(orphan).toContainEqual(expect.stringMatching(/^groups: .* no way back/))
  })

  it('never goes back', () => {
    const back = tables((table) => {
      table.rows = table.rows.map((each) =>
        each.seq === 3 ? { ...turns(3, 'r-1', 1, { added: ['carol'] }), seq: 11 } : each,
      )
      table.rows = table.rows.map((each) => (each.seq === 5 ? turns(5, 'r-2', 11, { removed: ['bob'] }) : each))
    })
    expect(back).toContainEqual(expect.stringMatching(/^groups: .* went back to #5/))
  })

  it('is in the index of whoever is in it', () => {
    expect(tables((table) => void table.indexed.pop())).toEqual([
      expect.stringMatching(/^groups: .* has carol, whose index/),
    ])
  })

  it('is made once, however often it is asked for', () => {
    const twin = judge(({ tables: all }) => {
      const first = { ...turns(1, '#g-1', 0, { added: ['alice'] }), conversationId: 'grp_2' } as LogRow
      const members = [member('alice', 1)]
      all.push({
        conversationId: 'grp_2',
        rows: [first],
        group: { id: 'grp_2', title: '', members, version: 1 },
        indexed: ['alice'],
      })
    })
    expect(twin).toContainEqual(expect.stringMatching(/^P2: alice #g-1 became two groups/))
    const create: GroupRequest = { type: 'create', clientGroupId: 'g-1', title: 'friends', memberIds: ['bob'] }
    expect(calls(turn('alice', 130, create, { ...withoutBob, id: 'grp_9' }))).toContainEqual(
      expect.stringMatching(/^P2: alice.phone was told that g-1 is grp_9/),
    )
    expect(calls(turn('alice', 130, { ...create, clientGroupId: 'g-2' }, { ...atFirst, id: 'grp_9' }))).toContainEqual(
      expect.stringMatching(/^P1: .* g-2 is grp_9, but the tables have none/),
    )
  })
})

describe('what is acknowledged of a group', () => {
  it('was so', () => {
    const wrong: [GroupRequest, RegExp][] = [
      [add('dave'), /^P1: .* dave was never in/],
      [remove('carol'), /^P1: .* carol was never out/],
      [{ type: 'rename', title: 'foes' }, /^P1: .* never called that/],
      [
        { type: 'members', add: [], remove: [], roles: [{ userId: 'carol', role: 'ADMIN' }] },
        /^P1: .* carol was never ADMIN/,
      ],
    ]
    for (const [request, expected] of wrong)
      expect(calls(turn('alice', 130, request, withoutBob))).toEqual([expect.stringMatching(expected)])
    expect(calls(turn('alice', 130, { type: 'leave' }, 'left'))).toEqual([
      expect.stringMatching(/^P1: .* alice never left/),
    ])
  })

  it('is shown to whoever asks after it', () => {
    expect(calls(look('alice', 130, withCarol))).toEqual([
      expect.stringMatching(/^P1: .* a look, but the group was not so then/),
    ])
    expect(calls(look('alice', 30, withoutBob))).toContainEqual(expect.stringMatching(/^P1: .* not so then/))
    expect(calls(look('alice', 130, group(member('alice', 1, 'OWNER'))))).toHaveLength(1)
  })
})

describe('the door of a group', () => {
  it('is closed to whoever was taken out, or never came', () => {
    expect(calls(page('bob', 130, [four, two]))).toContainEqual(
      expect.stringMatching(/^P6: bob.phone was answered a page/),
    )
    expect(calls(look('dave', 130, withoutBob))).toEqual([
      expect.stringMatching(/^P6: dave.phone was answered a group/),
    ])
    const late = judge((story) => {
      story.tables[0]?.rows.push(text(11, 'bob', 'b-2', 'b-2 still here'))
      story.calls.push(send(130, seenAs(11, 'bob', 'b-2 still here'), 'b-2'))
    })
    expect(late).toContainEqual(expect.stringMatching(/^P6: bob.phone was answered a send/))
  })

  it('is open to whoever is in', () => {
    expect(calls(refused('page', 'carol', 130, 'NOT_FOUND', { count: 1, from: 'newest', cursor: false }))).toEqual([
      expect.stringMatching(/^groups: carol.phone was told at a page/),
    ])
    const change = { seq: 6, clientMessageId: 'c-8', alteration: reaction }
    expect(calls(refused('change', 'carol', 130, 'NOT_FOUND', change))).toEqual([
      expect.stringMatching(/^groups: .* at a change/),
    ])
    const ended = (userId: string, atMs: number) =>
      judge(({ streams }) => {
        const end = { atMs, refused: { code: 'NOT_FOUND', retryable: false, message: 'no', field: 'after.0' } }
        streams.push({ ...follow(userId, [], { [id]: 0 }), openedAtMs: atMs - 5, end })
      })
    expect(ended('bob', 140)).toEqual([])
    expect(ended('carol', 140)).toEqual([expect.stringMatching(/^errors: the stream of carol.phone .* NOT_FOUND/)])
  })

  it('lets those do what they may', () => {
    const wrong: Call[] = [
      refused('group', 'alice', 130, 'FORBIDDEN', { request: add('bob') }),
      refused('group', 'alice', 130, 'BAD_USER_INPUT', { request: add('bob') }),
      refused('group', 'alice', 130, 'IDEMPOTENCY_CONFLICT', { request: add('bob') }),
      refused('change', 'alice', 130, 'FORBIDDEN', { seq: 4, clientMessageId: 'a-9', alteration: { type: 'delete' } }),
      refused('change', 'alice', 130, 'FORBIDDEN', { seq: 6, clientMessageId: 'a-9', alteration: edit }),
      refused('change', 'alice', 130, 'BAD_USER_INPUT', { seq: 6, clientMessageId: 'a-9', alteration: edit }),
      refused('change', 'alice', 130, 'BAD_USER_INPUT', {
        seq: 2,
        clientMessageId: 'a-9',
        alteration: { type: 'delete' },
      }),
      refused('send', 'alice', 130, 'FORBIDDEN', { clientMessageId: 'a-9', body: 'a-9', via: 'http', to: 'chat' }),
    ]
    for (const each of wrong) expect(calls(each)).toEqual([expect.stringMatching(/^errors/)])
  })
})

describe('what somebody sees of a group', () => {
  const streamed = (userId: string, events: [MessageSeen, number][], after?: Record<string, number>) =>
    judge(({ streams }) => void streams.push(follow(userId, events, after)))

  it('begins after they came', () => {
    expect(streamed('carol', [[two, 0]])).toEqual([expect.stringMatching(/^P6: a stream of carol.phone/)])
    expect(calls(page('carol', 130, [ten, sixLast, four, twoGone]))).toEqual([
      expect.stringMatching(/^P6: a page of carol.phone shows #2, from before they came with #3/),
    ])
  })

  it('ends before they went', () => {
    expect(streamed('bob', [[six, 4]], { [id]: 4 })).toEqual([expect.stringMatching(/^P6: a stream of bob.phone/)])
    // Sent when they were still in, stored when they were not.
    expect(streamed('bob', [[{ ...six, senderId: 'bob' }, 4]], { [id]: 4 })).not.toContainEqual(
      expect.stringMatching(/a message of others/),
    )
  })

  it('lacks nothing in between', () => {
    expect(judge(({ streams }) => void streams[2]?.events.shift())).toContainEqual(
      expect.stringMatching(/^P4: carol.phone never got 1 .* #4/),
    )
    expect(streamed('carol', [[six, 0]], { [id]: 0 })).toEqual([expect.stringMatching(/^P4: .* skips #4/)])
    // Not named: the first one follows nothing that is Carol's to see.
    expect(streamed('carol', [[four, 0]])).toEqual([])
    expect(streamed('carol', [[four, 2]])).toEqual([expect.stringMatching(/^P4: .* says previousSeq 2/)])
    expect(calls(page('carol', 130, [ten, sixLast]))).toEqual([
      expect.stringMatching(/^P3: .* ends at #6, but the log goes on/),
    ])
  })

  it('has everything that was sent after they had come', () => {
    const late = judge(({ calls: [, ...rest] }) => {
      for (const each of rest) if (each.kind === 'send' && each.ask.clientMessageId === 'a-1') each.askedAtMs = 36
    })
    expect(late).toContainEqual(expect.stringMatching(/^P4: #2 was sent after carol had come, but is below #3/))
  })

  it('is read alike at every node, from where they came on', () => {
    expect(judge(({ walks }) => void walks[1]?.messages.shift())).toContainEqual(expect.stringMatching(/^P3: carol at/))
    expect(judge(({ walks }) => void walks[1]?.messages.unshift(twoGone))).toContainEqual(
      expect.stringMatching(/^P3: carol at/),
    )
    const stale = judge(({ walks }) => void walks[0]?.messages.splice(2, 1, shownTo('alice')(sixEdited)))
    expect(stale).toEqual([expect.stringMatching(/^P3: alice at .* from #6 on/)])
  })

  it('includes the boundaries of those in it, and of nobody else', () => {
    const ticksOf = (...userIds: string[]) => {
      const ticks = userIds.map((userId) => ({ conversationId: id, userId, lastDeliveredSeq: 0, lastReadSeq: 0 }))
      return calls(call('ticks', 'alice', 130, {}, { answer: { lastSeq: 10, ticks } }))
    }
    expect(ticksOf('alice', 'carol')).toEqual([])
    expect(ticksOf('alice', 'bob', 'carol')).toEqual([
      expect.stringMatching(/^P6: alice.phone was shown the boundaries/),
    ])
    const heard = (userId: string, of: string, atMs: number) =>
      judge(({ tickStreams }) => {
        const ticks = { conversationId: id, userId: of, lastDeliveredSeq: 0, lastReadSeq: 0 }
        tickStreams.push({ client: `${userId}/phone`, userId, node, openedAtMs: 0, events: [{ atMs, ticks }] })
      })
    expect(heard('bob', 'alice', 5000)).toEqual([])
    expect(heard('bob', 'alice', 50_000)).toEqual([expect.stringMatching(/^P6: ticksChanged shows bob.phone/)])
    expect(heard('alice', 'bob', 50_000)).toHaveLength(1)
    expect(heard('alice', 'carol', 50_000)).toEqual([])
  })
})

describe('a change of a message', () => {
  const drop = (seq: number) => (story: History) => {
    const [table] = story.tables
    if (table) table.rows = table.rows.filter((each) => each.seq !== seq)
  }

  it('is in the log if it was acknowledged, as it was asked for', () => {
    expect(judge(drop(7))).toContainEqual(
      expect.stringMatching(/^P1: alice.phone was acknowledged the edit a-3, but it is not/),
    )
    expect(row(8, { alteration: { ...reaction, emoji: '👎' } })).toContainEqual(
      expect.stringMatching(/^P1: carol.phone was acknowledged the reaction c-2, but/),
    )
    expect(row(8, { targetSeq: 4 })).toContainEqual(
      expect.stringMatching(/^P1: carol.phone was acknowledged the reaction/),
    )
  })

  it('shows in its answer', () => {
    const again = (answer: MessageSeen) =>
      calls(alter('alice', 130, { seq: 6, clientMessageId: 'a-3', alteration: edit }, answer))
    expect(again(sixLast)).toEqual([])
    expect(again(six)).toEqual([expect.stringMatching(/^P1: .* does not show it/)])
    expect(again(ten)).toEqual([expect.stringMatching(/^P1: .* another message/)])
  })

  it('is stored once, and only if somebody asked for it', () => {
    expect(tables(({ rows: all }) => void all.push(alters(11, 'alice', 'a-3', 6, edit)))).toContainEqual(
      expect.stringMatching(/^P2: alice a-3 is stored at #7 and #11/),
    )
    expect(tables(({ rows: all }) => void all.push(alters(11, 'alice', 'a-9', 6, { type: 'delete' })))).toContainEqual(
      expect.stringMatching(/^P2: #11 is a change that nobody asked for/),
    )
    expect(tables(({ rows: all }) => void all.push(alters(11, 'alice', 'a-2', 6, edit)))).toContainEqual(
      expect.stringMatching(/^P2: alice a-2 is stored at #6 and #11/),
    )
    expect(row(7, { targetSeq: 3 })).toContainEqual(expect.stringMatching(/^P3: #7 changes #3, which is no message/))
  })

  it('shows in the end', () => {
    expect(row(6, { edited: undefined, body: 'a-2 news' })).toContainEqual(
      expect.stringMatching(/^P1: #6 does not show in the end the edit of #7/),
    )
    expect(row(6, { reactions: [] })).toContainEqual(
      expect.stringMatching(/^P1: #6 does not show in the end the reaction of #8/),
    )
    expect(row(2, { deletedAtMs: undefined, body: 'a-1 hello' })).toContainEqual(
      expect.stringMatching(/^P1: #2 does not show in the end the delete of #9/),
    )
  })

  it('that was shown to somebody shows in the end, even if nobody was told that it is stored', () => {
    const shown = (isShown: boolean) =>
      judge((story) => {
        const request = { seq: 4, clientMessageId: 'b-2', alteration: { type: 'edit', body: 'b-2 ho' } }
        story.tables[0]?.rows.push(alters(11, 'bob', 'b-2', 4, request.alteration))
        story.calls.push(call('change', 'bob', 50, request, { lost: { reason: 'reset' } }))
        const edited = { ...four, body: 'b-2 ho', look: { ...plain, edited: true } }
        if (isShown) story.changeStreams.push(followChanges('alice', [[edited, 11, 9]], { [id]: 9 }))
      })
    expect(shown(false)).toEqual([])
    expect(shown(true)).toEqual([expect.stringMatching(/^P1: #4 does not show in the end the edit of #11/)])
  })

  it('is all that makes a message look as it does', () => {
    expect(row(6, { body: 'a-9 never said' })).toContainEqual(
      expect.stringMatching(/^P1: in the end #6 .* has not the text of its last edit/),
    )
    expect(row(4, { edited: { seq: 8, atMs: 0 } })).toContainEqual(
      expect.stringMatching(/^P1: .* was edited by #8, which is no edit/),
    )
    expect(row(4, { deletedAtMs: 1, body: '' })).toContainEqual(expect.stringMatching(/^P1: .* was deleted by nobody/))
    expect(row(2, { body: 'a-1 hello' })).toContainEqual(expect.stringMatching(/^P1: .* is deleted and not empty/))
    expect(row(4, { reactions: [{ emoji: '👍', userId: 'carol', seq: 8, on: true }] })).toContainEqual(
      expect.stringMatching(/^P1: .* has 👍 of carol from #8, where it is not/),
    )
    expect(row(4, { body: 'b-1 never said' })).toContainEqual(expect.stringMatching(/^P2: nobody sent #4/))
  })

  it('shows on every page after it', () => {
    const edited = expect.stringMatching(/^P1: a page of carol.phone .* without the edit of #7/)
    expect(calls(page('carol', 130, [ten, six, four]))).toContainEqual(edited)
    expect(calls(page('alice', 130, [ten, sixLast, four, two]))).toEqual([
      expect.stringMatching(/^P1: a page of alice.phone .* without the delete of #9/),
    ])
    expect(calls(page('carol', 130, [ten, sixEdited, four]))).toEqual([
      expect.stringMatching(/^P1: .* without the reaction of #8/),
    ])
    const never = { ...sixLast, body: 'never said' }
    expect(calls(page('carol', 130, [ten, never, four]))).toContainEqual(expect.stringMatching(/^P3: .* shows #6/))
  })
})

describe('a stream of changes', () => {
  const streamed = (userId: string, events: [MessageSeen, number, number][], after?: Record<string, number>) =>
    judge(({ changeStreams }) => void changeStreams.push(followChanges(userId, events, after)))

  it('goes on where the device was', () => {
    expect(
      streamed(
        'alice',
        [
          [sixLast, 8, 7],
          [twoGone, 9, 8],
        ],
        { [id]: 7 },
      ),
    ).toEqual([])
    expect(streamed('alice', [[sixLast, 8, 0]], { [id]: 7 })).toEqual([
      expect.stringMatching(/^P4: .* say previousSeq 0 of #8/),
    ])
    expect(streamed('alice', [[sixLast, 8, 7]], { [id]: 8 })).toEqual([
      expect.stringMatching(/^P4: .* show #8 after #8/),
    ])
  })

  it('shows each once, in order, and leaves none out', () => {
    expect(
      streamed('alice', [
        [sixEdited, 7, 0],
        [sixLast, 8, 7],
        [sixLast, 8, 8],
      ]),
    ).toEqual([expect.stringMatching(/^P4: .* show #8 after #8/)])
    expect(streamed('alice', [[twoGone, 9, 0]])).toEqual([
      expect.stringMatching(/^P4: .* go from #0 to #9 and skip #7/),
      expect.stringMatching(/^P4: .* go from #0 to #9 and skip #8/),
    ])
  })

  it('shows the message with the change', () => {
    expect(streamed('alice', [[six, 7, 0]])).toEqual([expect.stringMatching(/^P4: .* does not show it/)])
    expect(streamed('alice', [[four, 7, 0]])).toEqual([expect.stringMatching(/^P4: .* is no change of #4/)])
  })

  it('shows nothing of messages from before its user came, nor what came after they went', () => {
    expect(streamed('carol', [[twoGone, 9, 8]], { [id]: 8 })).toEqual([expect.stringMatching(/^P6: .* show #9 of #2/)])
    expect(streamed('bob', [[sixEdited, 7, 0]])).toEqual([expect.stringMatching(/^P6: .* show #7 of #6/)])
  })

  it('brings everything that was acknowledged', () => {
    expect(judge(({ changeStreams }) => void changeStreams[1]?.events.pop())).toEqual([
      'P4: carol/phone never got #8, a change of #6',
    ])
  })
})

describe('the time of a row', () => {
  const clocks = [
    { node: 'node 1', fromMs: 1000, offsetMs: 20_000 },
    { node: 'node 2', fromMs: 5000, offsetMs: -8000 },
    { node: 'node 1', fromMs: 9000, offsetMs: 0 },
  ]

  it('is when it was drafted, where no clock was set', () => expect(earliestOf(24_000, [])).toBe(24_000))

  it('may be of a clock that was ahead then', () => expect(earliestOf(24_000, clocks)).toBe(4000))

  it('is of no clock that was not ahead yet, or not any more', () => {
    expect(earliestOf(15_000, clocks)).toBe(15_000)
    expect(earliestOf(40_000, clocks)).toBe(40_000)
  })
})

describe('streams of ticks and typing', () => {
  /** Bob is out from 50 ms on; that was acknowledged at 57 ms. */
  const types = (atMs: number, userId = 'alice', viewer = 'bob') => ({
    client: `${viewer}/window`,
    userId: viewer,
    node,
    conversationId: id,
    openedAtMs: 20,
    events: [{ typing: { userId, typing: true }, atMs }],
    end: { atMs },
  })
  const said = call('typing', 'alice', 15, { typing: true }, { answer: true })
  const judgeWatching = (change: (story: History) => void) =>
    judge((story) => {
      story.calls.push(said)
      change(story)
    }).filter((text) => /typingChanged|went on/.test(text))

  it('may learn of a removal when they compare', () =>
    expect(judgeWatching(({ typingStreams }) => typingStreams.push(types(30_000)))).toEqual([]))

  it('may not show typing to who was removed longer ago than that', () => {
    const found = judgeWatching(({ typingStreams }) => typingStreams.push(types(36_000)))
    expect(found[0]).toBe('P6: typingChanged shows bob/window alice, long after one of them was out')
  })

  it('may not show typing of who never said so', () => {
    const found = judgeWatching(({ typingStreams }) => typingStreams.push(types(40, 'carol', 'alice')))
    expect(found).toEqual(['P6: typingChanged shows alice/window carol, who had not said so'])
  })

  it.each(['streams', 'tickStreams', 'typingStreams', 'changeStreams'] as const)(
    'of one group end when their reader is out: %s',
    (kind) => {
      const open = (endedAtMs: number) => ({ ...types(0), events: [], after: {}, end: { atMs: endedAtMs } })
      expect(judgeWatching((story) => story[kind].push(open(35_000)))).toEqual([])
      expect(judgeWatching((story) => story[kind].push(open(40_000)))[0]).toMatch(
        /P6: \w+ of one group went on for bob/,
      )
      const faulty = judgeWatching((story) => {
        story[kind].push(open(40_000))
        story.faults.push({ kind: 'pause Redis', fromMs: 1000, toMs: 9000 })
      })
      expect(faulty).toEqual([])
    },
  )
})
