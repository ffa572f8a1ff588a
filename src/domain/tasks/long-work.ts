import type { GroupChange } from '../../ports/log.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConversationId, UserId } from '../../protocol/ids.ts'
import type { Access } from '../conversations/access.ts'
import type { Log } from '../log/log.ts'
import { createExportConversation } from './export-conversation.ts'
import { createExportUser } from './export-user.ts'
import { createRunTask, type TaskWork } from './run-task.ts'
import { createTasks } from './tasks.ts'
import { createTimedWork, type TimedWork, type WorkTimes } from './timed-work.ts'

type Options = {
  access: Access
  log: Log
  tookEffect: (change: GroupChange) => Promise<boolean>
  conversationsEver: (userId: UserId) => Promise<ConversationId[]>
  randomId: () => string
  observer: Observer
  eraseUser: TaskWork
  retain: TimedWork
  onWorkError?: (error: unknown) => void
  workTimes?: WorkTimes
  exportPartBytes?: number
}

/** Puts together what is asked for by backends, what is due, and who does it. */
export function createLongWork(ports: Ports, options: Options) {
  const { eraseUser, retain, onWorkError = () => undefined } = options
  const { tasks, timers, leases, clock, results } = ports
  const needs = { ...options, tasks, timers, leases, clock, ...(results && { results }), onError: onWorkError }
  const runTask = createRunTask(needs, {
    exportConversation: createExportConversation(needs),
    exportUser: createExportUser({ ...ports, ...needs }),
    eraseUser,
  })
  const removeFile: TimedWork = async ({ subject: key }) => {
    await results?.remove({ key })
    return undefined
  }
  const timedWork = createTimedWork(needs, { task: runTask, file: removeFile, retention: retain })
  const kick = () => void timedWork.tick().catch(onWorkError)
  return { ...createTasks(needs, kick), kick, tick: timedWork.tick, stop: timedWork.stop }
}
