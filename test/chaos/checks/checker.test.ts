import { describe, expect, it } from 'vitest'
import { check } from './checker.ts'
import type { BoundaryCall, History, MessageSeen, MessageStream } from './history.ts'
import {
  allEvents,
  aStory,
  bound,
  chat,
  dropFromLog,
  follow,
  four,
  judge,
  message,
  node,
  one,
  page,
  send,
  shownTo,
  three,
} from './stories/story.ts'

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
