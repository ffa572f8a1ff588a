import { describe, expect, it } from 'vitest'
import { check } from './checks/checker.ts'
import { aStory, dropFromLog, judge, message, send } from './checks/stories/story.ts'
import { shortcomings } from './people/activity.ts'
import { contextOf } from './people/context.ts'
import { recoveries } from './recovery.ts'

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
  /** Bob gets each of ten messages two seconds late, all the time. Before that a node was killed. */
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
