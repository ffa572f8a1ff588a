import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Task, TaskStore, Timer, Timers } from '../../../src/ports/tasks.ts'
import { upTo } from '../../kit/ids.ts'

const now = Date.UTC(2026, 5, 1)

const aTask = (given: Partial<Task> = {}): Task => ({
  id: `task_${randomUUID()}`,
  kind: 'exportConversation',
  run: randomUUID(),
  subject: 'grp_1',
  state: 'QUEUED',
  progress: 0,
  createdAtMs: now,
  failures: 0,
  leaseVersion: 0,
  ...given,
})

const result = { key: 'exports/1', contentType: 'application/x-ndjson', byteSize: 3, name: 'x.ndjson' }

export function tasksContract(open: () => TaskStore): void {
  test('a task that was begun stands until it has ended', async () => {
    const task = aTask()
    expect(await open().get(task.id)).toBeUndefined()
    expect(await open().begin(task)).toEqual(task)
    expect(await open().begin(aTask({ id: task.id }))).toEqual(task)
    expect(await open().get(task.id)).toEqual(task)
    const done: Task = { ...task, state: 'DONE', progress: 1, finishedAtMs: now + 1, result, leaseVersion: 1 }
    expect(await open().save(done)).toBe(true)
    const next = aTask({ id: task.id, run: 'next' })
    expect(await open().begin(next)).toEqual(next)
    expect(await open().get(task.id)).toEqual(next)
  })

  test('one of those who begin it at the same time begins it', async () => {
    const id = `task_${randomUUID()}`
    const begun = await Promise.all(upTo(6).map(() => open().begin(aTask({ id }))))
    expect(new Set(begun.map(({ run }) => run)).size).toBe(1)
  })

  test('is saved with all it has', async () => {
    const task = await open().begin(aTask())
    const { subject: _subject, ...rest } = task
    const saved: Task = { ...rest, state: 'FAILED', progress: 0.25, cursor: '{"after":3}', failures: 2, error: 'No.' }
    expect(await open().save(saved)).toBe(true)
    expect(await open().get(task.id)).toEqual(saved)
  })

  test('is not saved by one whose lease was taken, nor by an earlier run', async () => {
    const task = await open().begin(aTask())
    expect(await open().save({ ...task, leaseVersion: 2, progress: 0.5 })).toBe(true)
    expect(await open().save({ ...task, leaseVersion: 1, progress: 0.1 })).toBe(false)
    expect(await open().save({ ...task, run: 'another', leaseVersion: 3 })).toBe(false)
    expect(await open().get(task.id)).toMatchObject({ progress: 0.5, leaseVersion: 2 })
  })

  test('is removed, and is not brought back by who works on it', async () => {
    const task = await open().begin(aTask())
    await open().remove(task.id)
    await open().remove(task.id)
    expect(await open().save({ ...task, leaseVersion: 1 })).toBe(false)
    expect(await open().get(task.id)).toBeUndefined()
  })
}

export function timersContract(open: () => Timers): void {
  // All timers are in one list, so those of a test are in a time of their own.
  let time = 0
  const aTime = () => (time += 1000)
  const aTimer = (dueMs: number): Timer => ({ kind: 'task', subject: `a#${randomUUID()}`, dueMs })

  test('what is due is found in the order of its time', async () => {
    const at = aTime()
    const [late, early, middle] = [aTimer(at + 30), aTimer(at + 10), aTimer(at + 20)]
    for (const timer of [late, early, middle, early]) await open().set(timer)
    expect(await open().due(at + 9, 10)).toEqual([])
    expect(await open().due(at + 20, 10)).toEqual([early, middle])
    expect(await open().due(at + 900, 2)).toEqual([early, middle])
    for (const timer of [early, middle, late]) await open().remove(timer)
    await open().remove(late)
    expect(await open().due(at + 900, 10)).toEqual([])
  })

  test('a timer that is set for another time leaves the first', async () => {
    const at = aTime()
    const timer = aTimer(at)
    const again = { ...timer, dueMs: at + 500 }
    await open().set(timer)
    await open().set(again)
    await open().remove(timer)
    expect(await open().due(at + 900, 10)).toEqual([again])
    await open().remove(again)
  })
}
