import type { TaskStore, Timers } from '../../ports/tasks.ts'
import { unavailable } from '../../protocol/errors.ts'
import type { Dynamo } from '../rows/tables.ts'
import { hasEnded, toItem, toTask } from '../rows/task-row.ts'
import { entryAfter, toTimer, toItem as toTimerItem } from '../rows/timer-row.ts'
import { createDynamoTable } from './table.ts'

const attemptsMax = 5

export function createTasksDynamo(dynamo: Dynamo): TaskStore {
  const table = createDynamoTable(dynamo, 'tasks')
  return {
    async begin(task) {
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        const standing = await table.get({ task_id: task.id })
        if (standing && !hasEnded(standing)) return toTask(standing)
        const condition = standing
          ? { where: 'run_id = :run', values: { ':run': standing.run_id } }
          : { where: 'attribute_not_exists(task_id)' }
        if (await table.put(toItem(task), condition)) return task
      }
      throw unavailable(new Error('Others kept beginning this task.'))
    },

    async get(id) {
      const item = await table.get({ task_id: id })
      return item && toTask(item)
    },

    save: (task) =>
      table.put(toItem(task), {
        where: 'run_id = :run AND lease_version <= :version',
        values: { ':run': task.run, ':version': task.leaseVersion },
      }),

    async remove(id) {
      await table.remove({ task_id: id }, { where: 'attribute_exists(task_id)' })
    },
  }
}

export function createTimersDynamo(dynamo: Dynamo): Timers {
  const table = createDynamoTable(dynamo, 'timers')
  return {
    async set(timer) {
      await table.put(toTimerItem(timer))
    },
    async due(nowMs, limit) {
      const found = await table.query({
        where: 'timer_list = :list AND timer_entry < :entry',
        values: { ':list': 'due', ':entry': entryAfter(nowMs) },
        limit,
      })
      return found.map(toTimer)
    },
    async remove(timer) {
      await table.remove(toTimerItem(timer), { where: 'attribute_exists(timer_entry)' })
    },
  }
}
