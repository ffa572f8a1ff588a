// Long work for backends, such as an export, and when it is due. DynamoDB holds both: any node takes the work up, and another one goes on where a
// node was killed.

/** They are named like the mutations that ask for them. */
export type TaskKind = 'eraseUser' | 'exportUser' | 'exportConversation'
export type TaskState = 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED'

/** A file that a task has made. */
export type ResultFile = { key: string; contentType: string; byteSize: number; name: string }

/** There is one task of each kind for each subject. A new run of it takes the place of one that has ended. */
export type Task = {
  id: string
  kind: TaskKind
  /** A random text that tells this run from others of the same task. */
  run: string
  /** The user or the conversation. It is absent once a user is erased. */
  subject?: string
  state: TaskState
  /** From 0 to 1. */
  progress: number
  createdAtMs: number
  finishedAtMs?: number
  /** Where the work goes on: the text of a JSON object. */
  cursor?: string
  /** How often the work has failed. */
  failures: number
  /** Why it failed, in words for the backend. */
  error?: string
  result?: ResultFile
  /** The version of the lease under which it was last written. */
  leaseVersion: number
}

export interface TaskStore {
  /** Puts the task IF there is none of this id, or one that has ended. Returns the one that stands. */
  begin(task: Task): Promise<Task>
  get(id: string): Promise<Task | undefined>
  /** Replaces the task IF it is the same run, and was not written under a later version of the lease. Returns whether it did. */
  save(task: Task): Promise<boolean>
  remove(id: string): Promise<void>
}

export type TimerKind = 'task' | 'file' | 'retention'

/** Something to be done from this time on, by one node. The same thing may have several timers; doing it twice does no harm. */
export type Timer = { kind: TimerKind; subject: string; dueMs: number }

export interface Timers {
  set(timer: Timer): Promise<void>
  /** Returns the first that are due, the longest due first. */
  due(nowMs: number, limit: number): Promise<readonly Timer[]>
  remove(timer: Timer): Promise<void>
}
