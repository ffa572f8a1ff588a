import { describe, expect, it } from 'vitest'
import { check } from './checker.ts'
import type { History, MessageSeen, MessageStream, RuntimeDevice, SendCall } from './history.ts'
import { allEvents, aStory, bound, chat, follow, four, log, message, node, one, send, three } from './stories/story.ts'

describe('a device with the client runtime', () => {
  const after = { [chat]: 0 }

  /** Alice has the runtime on a second device and sends her messages with it. Nothing is wrong. */
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
    // The application was killed after #4 was told and kept: nothing of it may come again.
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
