import { describe, expect, it } from 'vitest'
import type { LogRow } from '../../../src/ports/log.ts'
import { check } from './checker.ts'
import type { Call, GroupRequest, MessageSeen } from './history.ts'
import {
  add,
  aStory,
  atFirst,
  call,
  calls,
  edit,
  follow,
  four,
  group,
  id,
  judge,
  look,
  member,
  node,
  page,
  reaction,
  refused,
  remove,
  seenAs,
  send,
  shownTo,
  six,
  sixEdited,
  sixLast,
  tables,
  ten,
  text,
  turn,
  turns,
  two,
  twoGone,
  withCarol,
  withoutBob,
} from './stories/group-story.ts'

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
    // Bob sent it when he was still in the group, and it was stored when he was not.
    expect(streamed('bob', [[{ ...six, senderId: 'bob' }, 4]], { [id]: 4 })).not.toContainEqual(
      expect.stringMatching(/a message of others/),
    )
  })

  it('lacks nothing in between', () => {
    expect(judge(({ streams }) => void streams[2]?.events.shift())).toContainEqual(
      expect.stringMatching(/^P4: carol.phone never got 1 .* #4/),
    )
    expect(streamed('carol', [[six, 0]], { [id]: 0 })).toEqual([expect.stringMatching(/^P4: .* skips #4/)])
    // The position is not named: the first message follows none that Carol may see.
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
