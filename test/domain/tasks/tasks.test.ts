import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Clock } from '../../../src/ports/clock.ts'
import type { PartialFile, Results } from '../../../src/ports/media.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import type { ClientMessageId, DeviceId, UserId } from '../../../src/protocol/ids.ts'
import { memoryDomain } from '../../kit/memory-domain.ts'
import { waitUntil } from '../../kit/wait-until.ts'

const [alice, bob] = ['alice', 'bob'] as [UserId, UserId]
const leaseMs = 30_000
const options = { exportPartBytes: 20_000, randomId: randomUUID }

/** Nodes share its files. `hangAt`: the part at which the node stops for good. */
function memoryResults(files: Map<string, string[]>, hangAt = Number.POSITIVE_INFINITY): Results {
  const partsOf = ({ key }: { key: string }) => files.get(key) ?? []
  return {
    begin: async ({ key }) => ({ key, upload: 'u', tags: [] }),
    async write(file: PartialFile, bytes) {
      const number = file.tags.length
      if (number >= hangAt) return new Promise(() => undefined)
      files.set(file.key, [...partsOf(file).slice(0, number), Buffer.from(bytes).toString()])
      return { ...file, tags: [...file.tags, String(number)] }
    },
    complete: async () => undefined,
    remove: async ({ key }) => void files.delete(key),
    presign: async ({ key }) => `https://files/${key}`,
  }
}

/** A clock that stands until it is set. Nobody wakes by themselves, so leases are held for no longer than they were taken. */
function standingClock(): Clock & { nowMs: number } {
  const clock = {
    nowMs: 1_800_000_000_000,
    now: () => clock.nowMs,
    monotonic: () => clock.nowMs,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve())),
  }
  return clock
}

async function chatWith(messages: number) {
  const clock = standingClock()
  const files = new Map<string, string[]>()
  const first = memoryDomain(() => ({ clock, results: memoryResults(files, 2) }), options)
  const node = (more: Partial<Ports> = {}) =>
    memoryDomain(() => ({ ...first.ports, results: memoryResults(files), ...more }), options).domain
  for (let i = 1; i <= messages; i += 1) {
    await first.domain.sendTo(alice, bob, { clientMessageId: `m${i}` as ClientMessageId, body: `message ${i}` })
  }
  const conversationId = (await first.domain.access.direct(alice, bob)).conversation.id
  return { clock, files, first: first.domain, ports: first.ports, node, conversationId }
}

const linesOf = (files: Map<string, string[]>) =>
  [...files.values()]
    .flat()
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { type: string; seq?: number; lines?: number })

it('where a node was killed, another one goes on from the last part, once its lease is over', async () => {
  const { clock, files, first, node, conversationId } = await chatWith(700)
  const { id } = await first.tasks.beginExport('exportConversation', conversationId)
  await waitUntil(async () => (await first.tasks.find(id))?.cursor?.includes('"tags":["0","1"]') ?? false)
  const saved = (await first.tasks.find(id))?.progress ?? 0
  expect(saved).toBeGreaterThan(0)

  const second = node()
  await second.tasks.tick()
  expect(await second.tasks.find(id)).toMatchObject({ state: 'RUNNING', progress: saved })
  clock.nowMs += leaseMs + 1
  await waitUntil(async () => {
    await second.tasks.tick()
    return (await second.tasks.find(id))?.state === 'DONE'
  })
  const lines = linesOf(files)
  expect(lines.flatMap(({ seq }) => seq ?? [])).toEqual(Array.from({ length: 700 }, (_, i) => i + 1))
  expect(lines.at(-1)).toEqual({ type: 'end', lines: lines.length - 1 })
})

it('an export of a user goes on in the middle of a conversation, and of a list', async () => {
  const { clock, files, first, ports, node, conversationId } = await chatWith(700)
  for (let i = 0; i < 450; i += 1) {
    const blockedId = `blocked.${String(i).padStart(200, '0')}` as UserId
    await ports.blocks.set({ userId: alice, blockedId }, true)
  }
  const phone = { userId: alice, deviceId: 'phone' as DeviceId, platform: 'FCM', registeredAtMs: 0 } as const
  await ports.devices.put({ ...phone, token: 'a secret' })
  const { id } = await first.tasks.beginExport('exportUser', alice)
  await waitUntil(async () => (await first.tasks.find(id))?.cursor?.includes('"tags":["0","1"]') ?? false)
  for (let nodes = 0; nodes < 20; nodes += 1) {
    const next = node({ results: memoryResults(files, 3 + nodes) })
    clock.nowMs += leaseMs + 1
    const before = (await next.tasks.find(id))?.cursor
    await next.tasks.tick()
    await waitUntil(async () => (await next.tasks.find(id))?.cursor !== before)
    if ((await next.tasks.find(id))?.state === 'DONE') break
  }
  const lines = linesOf(files)
  const of = (kind: string) => lines.filter(({ type }) => type === kind)
  expect(of('device')).toEqual([
    { type: 'device', deviceId: 'phone', platform: 'FCM', registeredAt: '1970-01-01T00:00:00.000Z' },
  ])
  expect(of('membership')).toMatchObject([{ conversationId, kind: 'DIRECT', members: [alice, bob], isMember: true }])
  expect(of('block')).toHaveLength(450)
  expect(lines.flatMap(({ seq }) => seq ?? [])).toEqual(Array.from({ length: 700 }, (_, i) => i + 1))
  expect(lines.at(-1)).toEqual({ type: 'end', lines: lines.length - 1 })
})

it('a node that wakes up after its task was taken over writes nothing into it', async () => {
  const { clock, first, ports, node, conversationId } = await chatWith(700)
  let wake: () => void = () => undefined
  const asleep = new Promise<void>((resolve) => {
    wake = resolve
  })
  const { results } = ports
  const sleeper = node({
    results: {
      ...(results as Results),
      async write(file, bytes) {
        if (file.tags.length === 1) await asleep
        return { ...file, tags: [...file.tags, `${bytes.length}`] }
      },
    },
  })
  const { id } = await sleeper.tasks.beginExport('exportConversation', conversationId)
  await waitUntil(async () => (await first.tasks.find(id))?.cursor !== undefined)
  clock.nowMs += leaseMs + 1
  const second = node()
  await waitUntil(async () => {
    await second.tasks.tick()
    return (await second.tasks.find(id))?.state === 'DONE'
  })
  const done = await second.tasks.find(id)
  wake()
  await sleeper.tasks.stop()
  expect(await second.tasks.find(id)).toEqual(done)
})

it('asking twice is one task, until it has ended; its file goes a day later', async () => {
  const { clock, files, node, conversationId } = await chatWith(3)
  const domain = node()
  const [one, two] = await Promise.all([
    domain.tasks.beginExport('exportConversation', conversationId),
    domain.tasks.beginExport('exportConversation', conversationId),
  ])
  expect(two).toEqual(one)
  const ended = async () => {
    await domain.tasks.tick()
    const task = await domain.tasks.find(one.id)
    return task?.state === 'DONE' ? task : undefined
  }
  await waitUntil(async () => (await ended()) !== undefined)
  const task = (await ended()) ?? expect.fail()
  expect(await domain.tasks.urlOf(task)).toBe(`https://files/exports/${one.run}`)
  clock.nowMs += 86_400_000
  expect(await domain.tasks.urlOf(task)).toBeUndefined()
  await domain.tasks.tick()
  await waitUntil(async () => files.size === 0)
  const again = await domain.tasks.beginExport('exportConversation', conversationId)
  expect(again).toMatchObject({ id: one.id, state: 'QUEUED' })
  expect(again.run).not.toBe(one.run)
})

it('a backend that is away delays a task and never fails it; any other error fails it after the fifth time', async () => {
  const { clock, ports, node, conversationId } = await chatWith(3)
  let error: Error = unavailable()
  const domain = node({
    results: { ...(ports.results as Results), begin: async () => Promise.reject(error) },
  })
  const { id } = await domain.tasks.beginExport('exportConversation', conversationId)
  const attempt = async () => {
    const before = await ports.timers.due(clock.nowMs + 60_000, 1)
    await domain.tasks.tick()
    await waitUntil(async () => {
      const [timer] = await ports.timers.due(clock.nowMs + 60_000, 1)
      return timer === undefined || timer.dueMs !== before[0]?.dueMs
    })
    clock.nowMs += 60_000
  }
  for (let i = 0; i < 8; i += 1) await attempt()
  expect(await domain.tasks.find(id)).toMatchObject({ state: 'RUNNING', failures: 0 })
  error = new Error('a bug')
  for (let i = 0; i < 5; i += 1) await attempt()
  const failed = await domain.tasks.find(id)
  expect(failed).toMatchObject({ state: 'FAILED', failures: 5, finishedAtMs: expect.any(Number) as number })
  expect(failed?.error).not.toContain('a bug')
})
