import { beforeEach, expect, test } from 'vitest'
import type { Clock } from '../../../src/ports/clock.ts'
import type { PushQueue, WantedBanner } from '../../../src/ports/push.ts'
import type { Seq, UserId } from '../../../src/protocol/ids.ts'
import { aConversation, aUser, upTo } from '../../kit/ids.ts'

/** Two nodes' queues on the same Redis, after it has forgotten everything. */
type OpenQueues = (clock: Clock, takeoverMs?: number) => Promise<{ here: PushQueue; there: PushQueue }>

export function pushQueueContract(open: OpenQueues): void {
  let nowMs: number
  let here: PushQueue
  let there: PushQueue
  const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, sleep: async () => undefined }

  beforeEach(async () => {
    nowMs = 1_800_000_000_000
    ;({ here, there } = await open(clock))
  })

  const aJob = (seq: Seq, senderId: UserId = aUser(), conversationId = aConversation()) => ({
    conversationId,
    seq,
    senderId,
    atMs: nowMs,
  })
  const aWant = (seq: Seq, given: Partial<WantedBanner> = {}): WantedBanner => ({
    userId: aUser(),
    conversationId: aConversation(),
    seq,
    atMs: nowMs,
    ...given,
  })

  test('each job of a conversation is taken once, in its order, whoever asks; also those from before anybody asked', async () => {
    const id = aConversation()
    const jobs = upTo(5).map((seq) => aJob(seq, aUser(), id))
    for (const job of jobs) await here.add(job)
    const first = await here.take(2)
    const rest = await there.take(10)
    expect([...first, ...rest].map(({ job }) => job)).toEqual(jobs)
    expect(await here.take(10)).toEqual([])
    await here.add(aJob(6))
    expect((await there.take(10)).map(({ job }) => job.seq)).toEqual([6])
  })

  test('the jobs of many conversations are each taken once, a few at a time', async () => {
    const jobs = upTo(40).map((seq) => aJob(seq))
    for (const job of jobs) await here.add(job)
    const taken: Seq[] = []
    for (let i = 0; taken.length < jobs.length; i += 1) {
      const some = await (i % 2 === 0 ? here : there).take(7)
      expect(some).toHaveLength(Math.min(7, jobs.length - taken.length))
      taken.push(...some.map(({ job }) => job.seq))
    }
    expect(taken.sort((one, other) => one - other)).toEqual(upTo(40))
    expect(await here.take(7)).toEqual([])
  })

  test('a sender may be called anything', async () => {
    const id = aConversation()
    const jobs = ['c', 'n', 's', 't'].map((name) => aJob(1, name as UserId, id))
    for (const job of jobs) await here.add(job)
    expect((await here.take(10)).map(({ job }) => job)).toEqual(jobs)
  })

  test('what a worker was not done with is another’s; what it was done with is gone', async () => {
    const { here: dying, there: living } = await open(clock, 0)
    const id = aConversation()
    await dying.add(aJob(1, aUser(), id))
    await dying.add(aJob(2, aUser(), id))
    const taken = await dying.take(10)
    await dying.done(taken.slice(0, 1))
    expect((await living.take(10)).map(({ job }) => job.seq)).toEqual([2])
    await living.done(taken)
    expect(await dying.take(10)).toEqual([])
    expect(await living.backlog()).toMatchObject({ jobs: 0 })
    await living.done([])
  })

  test('what is wanted is due at once, and claimed by one', async () => {
    const [one, other] = [aWant(3), aWant(4)]
    await here.want([one, other])
    const claimed = [...(await here.claim(1, 1000)), ...(await there.claim(10, 1000))]
    expect(claimed).toHaveLength(2)
    expect(claimed).toEqual(expect.arrayContaining([one, other].map((each) => ({ ...each, version: 1, attempts: 0 }))))
    expect(await here.claim(10, 1000)).toEqual([])
  })

  test('what is wanted again before it is claimed is one, with the newest seq', async () => {
    const want = aWant(3)
    await here.want([want])
    await there.want([{ ...want, seq: 9, atMs: nowMs + 5 }])
    await there.want([{ ...want, seq: 5, atMs: nowMs + 2 }])
    await there.want([{ ...want, seq: 0, atMs: nowMs + 9 }])
    expect(await here.claim(10, 1000)).toMatchObject([{ ...want, seq: 9, atMs: nowMs + 5 }])
  })

  test('what is finished is gone; of somebody who died it is due again when the lease ends', async () => {
    await here.want([aWant(1), aWant(2)])
    const [done] = await here.claim(1, 1000)
    const [abandoned] = await here.claim(1, 1000)
    if (!done || !abandoned) expect.fail()
    await here.finish(done)
    nowMs += 999
    expect(await there.claim(10, 1000)).toEqual([])
    nowMs += 1
    expect(await there.claim(10, 1000)).toEqual([abandoned])
  })

  test('a retry waits for its time and keeps count; a new message joins it there', async () => {
    const want = aWant(1)
    await here.want([want])
    const [claimed] = await here.claim(1, 1000)
    if (!claimed) expect.fail()
    await here.finish({ ...claimed, attempts: 1 }, nowMs + 5000)
    await here.want([{ ...want, seq: 2 }])
    nowMs += 4999
    expect(await there.claim(10, 1000)).toEqual([])
    nowMs += 1
    expect(await there.claim(10, 1000)).toMatchObject([{ seq: 2, attempts: 1 }])
  })

  test('what is urgent does not wait for the retry', async () => {
    const want = aWant(1)
    await here.want([want])
    const [claimed] = await here.claim(1, 1000)
    if (!claimed) expect.fail()
    await here.finish({ ...claimed, attempts: 1 }, nowMs + 5000)
    await here.want([{ ...want, seq: 0 }], { urgent: true })
    expect(await there.claim(10, 1000)).toMatchObject([{ seq: 1 }])
  })

  test('what is wanted while somebody is at it is nobody else’s, and due at once when they are done', async () => {
    const want = aWant(1)
    await here.want([want])
    const [claimed] = await here.claim(1, 1000)
    if (!claimed) expect.fail()
    await there.want([{ ...want, seq: 2 }], { urgent: true })
    expect(await there.claim(10, 1000)).toEqual([])
    await here.finish(claimed)
    const [again] = await there.claim(10, 1000)
    if (!again) expect.fail()
    expect(again).toMatchObject({ seq: 2 })
    await there.finish(again)
    nowMs += 3_600_000
    expect(await here.claim(10, 1000)).toEqual([])
  })

  test('a thousand are wanted at once, and the longest due is told', async () => {
    await here.want(upTo(1000).map((seq) => aWant(seq)))
    nowMs += 7000
    expect(await there.backlog()).toEqual({ jobs: 0, banners: 1000, oldestDueMs: 7000 })
    for (const _ of upTo(10)) expect(await there.claim(100, 1000)).toHaveLength(100)
    expect(await there.backlog()).toEqual({ jobs: 0, banners: 1000, oldestDueMs: 0 })
  })
}
