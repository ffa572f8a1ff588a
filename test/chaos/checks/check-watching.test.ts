import { describe, expect, it } from 'vitest'
import type { History } from './history.ts'
import { call, id, judge, node } from './stories/group-story.ts'

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
