import { describe, expect, it } from 'vitest'
import { shortcomings } from '../people/activity.ts'
import { contextOf } from '../people/context.ts'
import { recoveries } from '../recovery.ts'
import { check } from './checker.ts'
import {
  type BoundaryCall,
  emptyHistory,
  type History,
  type MessageSeen,
  type MessageStream,
  type Outcome,
  type PageCall,
  type RuntimeDevice,
  type SendCall,
} from './history.ts'

const chat = 'dm_chat'
const node = 'http://node'

const message = (seq: number, senderId: string, body: string): MessageSeen => ({
  conversationId: chat,
  seq,
  id: `msg_${seq}`,
  messageId: String(seq * 100),
  senderId,
  body,
  clientMessageId: null,
})

const one = message(1, 'alice', 'a-1 hello')
const three = message(3, 'bob', 'b-1 hello')
const four = message(4, 'alice', 'a-2 how are you?')
const log = [one, three, four]

const shownTo = (userId: string) => (each: MessageSeen) => ({
  ...each,
  clientMessageId: each.senderId === userId ? (each.body.split(' ')[0] ?? null) : null,
})

function send(
  atMs: number,
  sent: MessageSeen,
  outcome?: Outcome<{ message: MessageSeen; duplicate: boolean }>,
): SendCall {
  const { senderId: userId, body, conversationId } = sent
  const clientMessageId = body.split(' ')[0] ?? ''
  return {
    kind: 'send',
    client: `${userId}/phone`,
    userId,
    node,
    ask: { conversationId, clientMessageId, body, via: 'http', to: 'person' },
    askedAtMs: atMs,
    endedAtMs: atMs + 5,
    outcome: outcome ?? { answer: { message: shownTo(userId)(sent), duplicate: false } },
  }
}

function bound(kind: 'ack' | 'read', atMs: number, seq: number, [delivered, read]: [number, number]): BoundaryCall {
  const answer = { conversationId: chat, userId: 'bob', lastDeliveredSeq: delivered, lastReadSeq: read }
  const ask = { conversationId: chat, seq }
  return {
    kind,
    client: 'bob/phone',
    userId: 'bob',
    node,
    ask,
    askedAtMs: atMs,
    endedAtMs: atMs + 5,
    outcome: { answer },
  }
}

function page(atMs: number, messages: MessageSeen[], more = false, count = 10): PageCall {
  const ask = { conversationId: chat, count, from: 'newest', cursor: false } as const
  const answer = { messages: messages.map(shownTo('bob')), more }
  return {
    kind: 'page',
    client: 'bob/phone',
    userId: 'bob',
    node,
    ask,
    askedAtMs: atMs,
    endedAtMs: atMs + 5,
    outcome: { answer },
  }
}

const follow = (
  userId: string,
  events: [MessageSeen, number][],
  given: Partial<MessageStream> = {},
): MessageStream => ({
  client: `${userId}/phone`,
  userId,
  node,
  openedAtMs: 0,
  events: events.map(([each, previousSeq]) => ({
    message: shownTo(userId)(each),
    previousSeq,
    catchUp: false,
    atMs: each.seq * 10 + 6,
  })),
  ...given,
})

const allEvents: [MessageSeen, number][] = [
  [one, 0],
  [three, 1],
  [four, 3],
]

/** Alice and Bob, three messages, a number that was skipped; nothing wrong. */
function aStory(change: (story: History) => void = () => undefined): History {
  const story = emptyHistory({ [chat]: ['alice', 'bob'], dm_other: ['carol', 'dave'] })
  story.devices.push(
    { client: 'alice/phone', userId: 'alice', sinceMs: 0, away: [] },
    { client: 'bob/phone', userId: 'bob', sinceMs: 0, away: [] },
  )
  story.calls.push(
    send(10, one),
    send(30, three),
    bound('ack', 35, 1, [1, 0]),
    send(40, four),
    page(50, [four, three, one]),
  )
  story.streams.push(follow('alice', allEvents), follow('bob', allEvents))
  for (const userId of ['alice', 'bob']) {
    for (const direction of ['newest first', 'oldest first'] as const) {
      story.walks.push({ node, userId, conversationId: chat, direction, messages: log.map(shownTo(userId)) })
    }
  }
  change(story)
  return story
}

const judge = (change: (story: History) => void) =>
  check(aStory(change)).map(({ promise, text }) => `${promise}: ${text}`)

const dropFromLog = (story: History, seq: number) => {
  for (const walk of story.walks) walk.messages = walk.messages.filter((each) => each.seq !== seq)
}

it('two messages with one id are an anomaly', () => {
  const found = judge(({ walks }) => {
    for (const walk of walks)
      walk.messages = walk.messages.map((each) => (each.seq === 4 ? { ...each, messageId: '300' } : each))
  })
  expect(found).toContain('P2: two have one id: #3 300 "b-1 hello" and #4 300 "a-2 how are you?"')
})

describe('a good history', () => {
  it('has no anomaly', () => expect(check(aStory())).toEqual([]))

  it('may have attempts that failed, were lost or were repeated', () => {
    expect(
      judge(({ calls }) => {
        calls.push(send(11, one, { lost: { reason: 'closed: 1006' } }))
        calls.push(send(12, one, { refused: { code: 'UNAVAILABLE', retryable: true, message: 'later' } }))
        calls.push(send(60, one, { answer: { message: shownTo('alice')(one), duplicate: true } }))
      }),
    ).toEqual([])
  })

  it('may begin a stream where the device says, or where the server knows', () => {
    expect(
      judge(({ streams }) => {
        streams.push(follow('bob', [[four, 3]], { after: { [chat]: 3 } }), follow('bob', [[four, 3]]))
      }),
    ).toEqual([])
  })

  it('may read by replying what was acked before', () => {
    expect(
      judge(({ calls }) => {
        calls.push(bound('ack', 60, 3, [3, 0]), send(70, message(5, 'bob', 'b-2 fine'), { lost: { reason: 'reset' } }))
        calls.push(bound('ack', 80, 3, [3, 3]))
      }),
    ).toEqual([])
  })
})

describe('P1', () => {
  it('is broken by an acknowledged message that is not in the log', () => {
    expect(judge((story) => dropFromLog(story, 4))).toContainEqual(expect.stringMatching(/^P1: acknowledged, but not/))
  })

  it('is broken by another message at its place', () => {
    const change = (story: History) => {
      for (const walk of story.walks) walk.messages = walk.messages.map((each) => ({ ...each, messageId: 'other' }))
    }
    expect(judge(change)).toContainEqual(expect.stringMatching(/^P1: acknowledged as #1/))
  })

  it('is broken by a page that does not show what was acknowledged before', () => {
    expect(judge(({ calls }) => void calls.push(page(60, [three, one])))).toEqual([
      expect.stringMatching(/^P1: a page of bob.phone .* ends at #3, but #4/),
    ])
  })
})

describe('P2', () => {
  it('is broken by a message that is stored twice', () => {
    const twin = message(5, 'alice', one.body)
    const change = (story: History) => {
      for (const { userId, messages } of story.walks) messages.push(shownTo(userId)(twin))
    }
    expect(judge(change)).toContainEqual(expect.stringMatching(/^P2: stored twice: #1 .* and #5/))
  })

  it('is broken by two answers that differ', () => {
    const other = { ...shownTo('alice')(one), seq: 2 }
    const change = ({ calls }: History) =>
      void calls.push(send(60, one, { answer: { message: other, duplicate: true } }))
    expect(judge(change)).toContainEqual(expect.stringMatching(/^P2: two answers differ/))
  })

  it('is broken by a retry that passes for the first', () => {
    expect(judge(({ calls }) => void calls.push(send(60, one)))).toEqual([
      'P2: two attempts were both told duplicate: false',
    ])
  })

  it('is broken by accepting another body', () => {
    const forged = send(60, message(5, 'alice', 'a-1 bye'))
    forged.ask.forged = true
    expect(judge(({ calls }) => void calls.push(forged))).toEqual([expect.stringMatching(/^P2: another body/)])
  })

  it('is broken by a message nobody sent', () => {
    const change = (story: History) => {
      for (const { messages } of story.walks) messages.push(message(9, 'alice', 'ghost'))
    }
    expect(judge(change)).toContainEqual(expect.stringMatching(/^P2: nobody sent #9/))
  })
})

describe('P3', () => {
  it('is broken by two readings that differ', () => {
    expect(judge(({ walks }) => void walks.at(-1)?.messages.pop())).toEqual([
      expect.stringMatching(/^P3: bob at .*: 2 messages/),
    ])
  })

  it('is broken by a message that appears where a page had passed over', () => {
    expect(judge(({ calls }) => void calls.push(page(60, [four, one])))).toEqual([
      expect.stringMatching(/^P3: a page of bob.phone .* skips #3/),
    ])
  })

  it('is broken by a page in the wrong order, with another message, or cut short', () => {
    const wrong = [
      [four, one, three],
      [four, { ...three, body: 'b-1 bye' }, one],
      [four, three],
    ]
    for (const messages of wrong) {
      expect(judge(({ calls }) => void calls.push(page(60, messages)))[0]).toMatch(/^P3: a page/)
    }
  })

  it('is broken by a page that is not filled', () => {
    expect(judge(({ calls }) => void calls.push(page(60, [four], true, 2)))).toEqual([
      expect.stringMatching(/^P3: .* has 1 messages of 2, although there are more/),
    ])
  })
})

describe('P4', () => {
  const bobSees = (events: [MessageSeen, number][], given: Partial<MessageStream> = {}) =>
    judge(({ streams }) => void streams.push(follow('bob', events, given)))

  it('is broken by a repeated or late event', () => {
    expect(bobSees([...allEvents, [three, 4]])).toEqual([expect.stringMatching(/^P4: .* shows #3 after #4/)])
  })

  it('is broken by a message left out, even if previousSeq admits it', () => {
    expect(
      bobSees([
        [one, 0],
        [four, 3],
      ]),
    ).toHaveLength(2)
    expect(
      bobSees([
        [one, 0],
        [four, 1],
      ]),
    ).toEqual([expect.stringMatching(/^P4: .* goes from #1 to #4 and skips #3/)])
  })

  it('is broken by a first event that does not follow where the device was', () => {
    expect(bobSees([[four, 3]], { after: { [chat]: 1 } })).toHaveLength(2)
    expect(bobSees([[four, 1]])).toHaveLength(1)
  })

  it('is broken by a first event that the device had before', () => {
    expect(bobSees([[three, 3]], { after: { [chat]: 3 } })).toEqual([
      expect.stringMatching(/^P4: .* shows #3 after #3/),
    ])
  })

  it('is broken by a device that never gets a message', () => {
    const change = ({ devices }: History) =>
      void devices.push({ client: 'bob/laptop', userId: 'bob', sinceMs: 0, away: [] })
    expect(judge(change)).toEqual([expect.stringMatching(/^P4: bob.laptop never got 3/)])
  })
})

describe('P5', () => {
  it.each<[string, BoundaryCall[]]>([
    ['a boundary that falls', [bound('read', 60, 3, [3, 3]), bound('ack', 70, 3, [3, 0])]],
    ['read above delivered', [bound('read', 60, 3, [1, 3])]],
    ['more than the log has', [bound('ack', 60, 9, [9, 0])]],
    ['delivered beyond what was asked for', [bound('ack', 60, 3, [4, 0])]],
    ['read beyond what was asked for', [bound('ack', 60, 3, [3, 3])]],
    ['an ack that was answered and did not happen', [bound('ack', 60, 3, [1, 0])]],
  ])('is broken by %s', (_name, calls) => {
    const found = judge((story) => void story.calls.push(...calls))
    expect(found.length).toBeGreaterThan(0)
    expect(found[0]).toMatch(/^P5/)
  })

  it('is broken by a stream of ticks that falls', () => {
    const ticks = (atMs: number, lastDeliveredSeq: number) => ({
      atMs,
      ticks: { conversationId: chat, userId: 'bob', lastDeliveredSeq, lastReadSeq: 0 },
    })
    const events = [ticks(41, 1), ticks(42, 0)]
    const stream = { client: 'alice/phone', userId: 'alice', node, openedAtMs: 0, events }
    expect(judge(({ tickStreams }) => void tickStreams.push(stream))).toEqual([
      expect.stringMatching(/^P5: .* fell from 1/),
    ])
  })
})

describe('P6', () => {
  it('is broken by an event or a page of others’ conversations, or a probe that succeeds', () => {
    const about = { client: 'carol/phone', userId: 'carol', node, askedAtMs: 60, endedAtMs: 61 }
    const probe = {
      ...about,
      kind: 'probe',
      ask: { conversationId: chat, by: 'messages' },
      outcome: { answer: 'shown' },
    } as const
    expect(judge(({ calls }) => void calls.push(probe))[0]).toMatch(/^P6/)
    expect(
      judge(({ calls }) => void calls.push({ ...page(60, []), ...page(60, [four, three, one]), userId: 'carol' }))[0],
    ).toMatch(/^P6/)
    expect(judge(({ streams }) => void streams.push(follow('carol', allEvents)))[0]).toMatch(/^P6/)
  })

  it('is broken by showing a clientMessageId to anybody but its sender', () => {
    const stream = follow('bob', allEvents)
    for (const event of stream.events) event.message.clientMessageId = 'a-1'
    expect(judge(({ streams }) => void streams.push(stream))[0]).toMatch(/^P6: .* clientMessageId a-1 of alice/)
  })
})

describe('an error', () => {
  it.each([
    ['INTERNAL', true],
    [undefined, false],
    ['SEQ_OUT_OF_RANGE', false],
    ['UNAVAILABLE', false],
  ])('%s, retryable: %s, is an anomaly', (code, retryable) => {
    const refused = { code, retryable, message: 'no' }
    expect(judge(({ calls }) => void calls.push(send(60, one, { refused })))).toEqual([
      expect.stringMatching(/^errors/),
    ])
    expect(judge(({ streams }) => void streams.push(follow('bob', [], { end: { atMs: 60, refused } })))).toHaveLength(1)
  })

  it('that closes a socket with a code of a bug is one too', () => {
    const lost = { reason: 'closed: 4500', closeCode: 4500 }
    expect(judge(({ calls }) => void calls.push(send(60, one, { lost })))).toEqual([expect.stringMatching(/^errors/)])
  })
})

describe('a socket closed because its client said nothing', () => {
  const closed = (pausedUntilMs: number, closeCode = 4408) =>
    judge(({ calls, faults }) => {
      calls.push(send(6000, one, { lost: { reason: `closed: ${closeCode}`, closeCode } }))
      faults.push({ kind: 'pause a node', fromMs: pausedUntilMs - 3500, toMs: pausedUntilMs })
    })

  it('is an anomaly, unless its node was stopped until a moment ago', () => {
    expect(closed(5900)).toEqual([])
    expect(closed(3900)).toEqual([expect.stringMatching(/^errors/)])
    expect(closed(5900, 4400)).toEqual([expect.stringMatching(/^errors/)])
  })
})

describe('a device with the client runtime', () => {
  const after = { [chat]: 0 }

  /** Alice has it on a second device and sends her messages with it; nothing wrong. */
  function runtimeStory(
    change: (parts: { story: History; app: RuntimeDevice; told: MessageStream }) => void = () => undefined,
  ) {
    return aStory((story) => {
      const about = { client: 'alice/app', userId: 'alice' }
      const app: RuntimeDevice = {
        ...about,
        lives: [{ fromMs: 0, transports: 'sse' }],
        links: [],
        begun: [{ atMs: 1, conversationId: chat, seq: 0 }],
        reads: [],
        ticks: [],
        timelines: [{ conversationId: chat, seqs: [3, 4], hasOlder: true }],
        closings: [{ atMs: 5, code: 1001 }],
        problems: [],
      }
      const told = follow('alice', allEvents, { client: 'alice/app', node: 'the client runtime', after: { ...after } })
      for (const call of story.calls) {
        if (call.kind === 'send' && call.userId === 'alice')
          Object.assign(call, { client: 'alice/app', ask: { ...call.ask, via: 'runtime' } })
      }
      story.devices.push({ ...about, sinceMs: 0, away: [], begins: {} })
      story.runtimes.push(app)
      story.streams.push(told)
      change({ story, app, told })
    })
  }
  const judgeRuntime = (change: Parameters<typeof runtimeStory>[0]) =>
    check(runtimeStory(change)).map(({ promise, text }) => `${promise}: ${text}`)
  const sent = ({ calls }: History, id: string) =>
    calls.find((call): call is SendCall => call.kind === 'send' && call.ask.clientMessageId === id)

  it('has no anomaly if all is well', () => expect(check(runtimeStory())).toEqual([]))

  it('is told nothing twice, whatever was between', () => {
    const [again] = follow('alice', [[three, 4]]).events
    expect(judgeRuntime(({ told }) => void (again && told.events.push(again)))).toEqual([
      expect.stringMatching(/^P4: the stream of alice.app .* shows #3 after #4/),
    ])
    // Killed after #4 was told and kept: nothing of it may come again.
    const later = follow('alice', [[four, 4]], { client: 'alice/app', after: { [chat]: 4 } })
    expect(judgeRuntime(({ story }) => void story.streams.push(later))).toEqual([
      expect.stringMatching(/^P4: .* shows #4 after #4/),
    ])
  })

  it('may be told again what was told and not kept when it was killed, from there on and without a gap', () => {
    const again = (events: [MessageSeen, number][]) =>
      judgeRuntime(({ story }) => {
        story.streams.push(follow('alice', events, { client: 'alice/app', after: { [chat]: 1 } }))
      })
    expect(
      again([
        [three, 1],
        [four, 3],
      ]),
    ).toEqual([])
    expect(again([[four, 1]])).toEqual([expect.stringMatching(/^P4: .* goes from #1 to #4 and skips #3/)])
  })

  it('is told everything in order', () => {
    expect(judgeRuntime(({ told }) => void told.events.splice(1, 1))).toEqual([
      expect.stringMatching(/^P4: .* says previousSeq/),
      expect.stringMatching(/^P4: .* skips #3/),
      expect.stringMatching(/^P4: alice.app never got 1/),
    ])
    const reversed = judgeRuntime(({ told }) => void told.events.reverse())
    expect(reversed).toContainEqual(expect.stringMatching(/^P4: .* shows #1 after #3/))
  })

  it('lacks nothing from where it began on, and begins where its user was', () => {
    const beginsAt = (seq: number) =>
      judgeRuntime(({ story, app, told }) => {
        const laptop = story.devices.find(({ client }) => client === 'alice/app')
        if (laptop) laptop.begins = { [chat]: seq }
        app.begun = [{ atMs: 100, conversationId: chat, seq }]
        told.after = { [chat]: seq }
        told.events = told.events.filter(({ message }) => message.seq > seq)
        story.calls.push({ ...bound('ack', 90, 3, [3, 0]), userId: 'alice', outcome: { lost: { reason: 'reset' } } })
      })
    expect(beginsAt(3)).toEqual([])
    expect(beginsAt(4)).toEqual([expect.stringMatching(/^P5: .* had asked for 3\/3 at most/)])
  })

  it('acks what it was told and no more', () => {
    const sees = (atMs: number) => (story: History) => {
      const ticks = { conversationId: chat, userId: 'alice', lastDeliveredSeq: 3, lastReadSeq: 0 }
      story.tickStreams.push({ client: 'bob/phone', userId: 'bob', node, openedAtMs: 0, events: [{ atMs, ticks }] })
    }
    expect(judgeRuntime(({ story }) => sees(37)(story))).toEqual([])
    expect(judgeRuntime(({ story }) => sees(34)(story))).toEqual([
      expect.stringMatching(/^P5: bob.phone .* saw alice at 3\/0: .* had asked for 1\/1 at most/),
    ])
  })

  it('acks everything in the end, and its reads stay', () => {
    const inTheEnd = (lastDeliveredSeq: number, lastReadSeq: number) =>
      judgeRuntime(({ story, app }) => {
        app.reads.push({ atMs: 50, conversationId: chat, seq: 3 })
        const ticks = [{ conversationId: chat, userId: 'alice', lastDeliveredSeq, lastReadSeq }]
        const ask = {
          kind: 'ticks',
          client: 'alice/desk',
          userId: 'alice',
          node,
          ask: { conversationId: chat },
        } as const
        story.calls.push({ ...ask, askedAtMs: 90, endedAtMs: 91, outcome: { answer: { lastSeq: 4, ticks } } })
      })
    expect(inTheEnd(3, 3)).toEqual([])
    expect(inTheEnd(3, 1)).toEqual([expect.stringMatching(/^runtime: alice.app marked #3 as read/)])
    expect(inTheEnd(1, 1)).toHaveLength(2)
  })

  it('gets everything stored that it has accepted, once and in the order written', () => {
    const change = (patch: Partial<SendCall>) =>
      judgeRuntime(({ story }) => void Object.assign(sent(story, 'a-2') ?? {}, { outcome: undefined, ...patch }))
    expect(change({ endedAtMs: 45 })).toEqual([])
    expect(change({ endedAtMs: undefined } as never)).toEqual([expect.stringMatching(/^runtime: .* was never told/)])
    const lost = { reason: 'killed before it was kept' }
    expect(change({ outcome: { lost } })).toEqual([expect.stringMatching(/^runtime: .* but had sent it/)])
    const more = (patch: Partial<SendCall>) =>
      judgeRuntime(({ story }) => {
        const call = send(60, message(9, 'alice', 'a-3 hi'))
        const { outcome: _outcome, ...asked } = call
        story.calls.push({ ...asked, client: 'alice/app', ask: { ...call.ask, via: 'runtime' }, ...patch })
      })
    expect(more({ outcome: { lost } })).toEqual([])
    expect(more({})).toEqual([expect.stringMatching(/^runtime: .* said .* stored, and it is not in the log/)])
    expect(more({ endedAtMs: undefined } as never)).toEqual([expect.stringMatching(/^runtime: .* never stored/)])
    expect(judgeRuntime(({ story: { calls } }) => void calls.unshift(...calls.splice(3, 1)))).toEqual([
      expect.stringMatching(/^runtime: alice.app wrote this after a-2, but it is #1 and that #4/),
    ])
  })

  it('shows ticks that only rise while it runs, and never ahead of the others', () => {
    const tick = (atMs: number, shown: 'SENT' | 'DELIVERED' | 'READ', life = 0) => ({
      ...{ atMs, life, conversationId: chat, seq: 1, tick: shown },
    })
    const shows = (...ticks: RuntimeDevice['ticks']) =>
      judgeRuntime(({ story, app }) => {
        app.ticks.push(...ticks)
        story.calls.push(bound('read', 50, 1, [1, 1]))
      })
    expect(shows(tick(36, 'DELIVERED'), tick(51, 'READ'), tick(70, 'DELIVERED', 1))).toEqual([])
    expect(shows(tick(51, 'READ'), tick(52, 'SENT'))).toEqual([
      expect.stringMatching(/^runtime: alice.app was shown #1 as READ and then as SENT/),
    ])
    expect(shows(tick(20, 'READ'))).toContainEqual(expect.stringMatching(/^P5: alice.app.* had asked for 0\/0 at most/))
  })

  it('shows the end of the log in the end', () => {
    const shows = (seqs: number[], hasOlder: boolean) =>
      judgeRuntime(({ app }) => void app.timelines.push({ conversationId: chat, seqs, hasOlder }))
    expect(shows([1, 3, 4], false)).toEqual([])
    for (const wrong of [
      [1, 4],
      [1, 3],
      [1, 3, 4, 0],
      [1, 4, 3],
    ])
      expect(shows(wrong, false)).toEqual([expect.stringMatching(/^runtime: alice.app shows/)])
    expect(shows([3], true)).toHaveLength(1)
  })

  it('shows messages as they are in the end', () => {
    const shows = (bodies: string[]) =>
      judgeRuntime(
        ({ app }) => void app.timelines.push({ conversationId: chat, seqs: [1, 3, 4], bodies, hasOlder: false }),
      )
    expect(shows(log.map(({ body }) => body))).toEqual([])
    expect(shows([one.body, 'b-1 as it was', four.body])).toEqual([
      expect.stringMatching(/^runtime: alice.app shows #3 as "b-1 as it was"/),
    ])
  })

  it('meets no problem', () => {
    expect(judgeRuntime(({ app }) => void app.closings.push({ atMs: 5, code: 4500 }))).toEqual([
      'runtime: alice/app: a socket was closed with 4500',
    ])
    expect(
      judgeRuntime(({ app }) => void app.problems.push({ atMs: 5, text: 'was told #1 after it was closed' })),
    ).toEqual(['runtime: alice/app: was told #1 after it was closed'])
  })
})

describe('processes and recovery', () => {
  it('a node told to stop exits with 0 within ten seconds', () => {
    const fault = { kind: 'terminate a node', fromMs: 0, toMs: 1 }
    expect(judge(({ faults }) => void faults.push({ ...fault, exit: { code: 0, tookMs: 900 } }))).toEqual([])
    expect(judge(({ faults }) => void faults.push({ ...fault, exit: { code: 1, tookMs: 900 } }))).toHaveLength(1)
    expect(judge(({ faults }) => void faults.push({ ...fault, exit: { code: 0, tookMs: 11_000 } }))).toHaveLength(1)
  })

  const lateBy = (ms: number, away: { fromMs: number; toMs: number }[] = []) =>
    aStory((story) => {
      story.faults.push({ kind: 'kill a node', fromMs: 50, toMs: 2000 })
      const bob = story.streams[1]
      const last = bob?.events.at(-1)
      if (last) last.atMs = 50 + ms
      story.devices[1]?.away.push(...away)
    })

  it('is measured from the fault to the last device that lacked something', () => {
    expect(recoveries(lateBy(4000))).toMatchObject([{ tookMs: 4000, limitMs: 10_000, disturbed: false }])
    expect(check(lateBy(4000))).toEqual([])
  })

  it('takes no more than its limit', () => {
    expect(check(lateBy(14_000))).toMatchObject([{ promise: 'recovery' }])
  })

  it('does not count a message whose event was lost silently, unless it comes later than the streams compare', () => {
    const lossy = (ms: number) => {
      const story = lateBy(ms)
      story.faults.unshift({ kind: 'lose events', fromMs: 0, toMs: 49, hits: 1 })
      return check(story)
    }
    expect(lossy(14_000)).toEqual([])
    expect(lossy(32_000)).toEqual([])
    expect(lossy(36_000)).toMatchObject([{ promise: 'recovery' }])
  })

  it('does not count the time a device was away by its own choice', () => {
    expect(check(lateBy(14_000, [{ fromMs: 20, toMs: 13_900 }]))).toEqual([])
  })
})

describe('a device that polls', () => {
  /** Bob gets each of ten messages two seconds late, all the time; first of all a node was killed. */
  const slow = (polls: { fromMs: number; toMs: number }[]) =>
    aStory((story) => {
      story.faults.push({ kind: 'kill a node', fromMs: 1000, toMs: 1500 })
      story.devices[1] = { client: 'bob/phone', userId: 'bob', sinceMs: 0, away: [], polls }
      for (let n = 0; n < 10; n += 1) {
        const each = message(10 + n, 'alice', `a-${n + 3} hi`)
        story.calls.push(send(n * 1500, each))
        story.streams[1]?.events.push({ message: each, previousSeq: 0, catchUp: false, atMs: n * 1500 + 2005 })
      }
    })

  it('is current as long as each round brings what there is', () => {
    const [polling] = recoveries(slow([{ fromMs: 0, toMs: 60_000 }]))
    const [pushed] = recoveries(slow([]))
    expect(polling?.tookMs).toBeLessThan(3000)
    expect(pushed?.tookMs).toBeGreaterThan(13_000)
  })
})

describe('the judgement', () => {
  it('is unknown where too little met a fault', () => {
    const lacking = shortcomings(
      aStory(({ faults }) => void faults.push({ kind: 'DynamoDB: late', fromMs: 900, toMs: 999, hits: 0 })),
    )
    expect(lacking).toContain('only 0 sends met "DynamoDB: late"')
    expect(lacking).toContain('"DynamoDB: late" hit only 0 calls')
  })

  it('shows an anomaly with the whole story of its message', () => {
    const story = aStory((each) => dropFromLog(each, 4))
    const [anomaly] = check(story)
    const context = anomaly ? contextOf(story, anomaly) : []
    expect(context.join('\n')).toMatch(/alice\/phone asks .*send[\s\S]*bob\/phone receives from .*#4/)
  })
})
