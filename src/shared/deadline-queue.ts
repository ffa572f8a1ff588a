import type { Timer, Timers } from './timers.ts'

/** Does something when a time is over. */
export type DeadlineOwner = {
  /** Called once, and not if the deadline was removed before. */
  onDue(): void
}

/**
 * A deadline in a queue; its owner keeps it to remove it. All deadlines are of this one class, and so are the buckets: V8 reads fields several
 * times as fast where all objects have the same shape.
 */
export class Deadline {
  /** It is undefined if this is a bucket. */
  readonly owner: DeadlineOwner | undefined
  readonly tick: number
  /** Its neighbours in the ring of its bucket. They are undefined once it is removed. */
  previous: Deadline | undefined
  next: Deadline | undefined

  constructor(tick: number, owner?: DeadlineOwner) {
    this.owner = owner
    this.tick = tick
    this.previous = owner ? undefined : this
    this.next = owner ? undefined : this
  }
}

export type DeadlineQueue = ReturnType<typeof createDeadlineQueue>

export type DeadlineQueueOptions = {
  /** A deadline is never early, and at most this much late. */
  resolutionMs?: number
  /** Whether the process stays alive as long as anything is in the queue. */
  holdsProcess?: boolean
}

/** Timers hold no more than 2^31 ms, but deadlines may. So the queue sleeps a day at most and looks again. */
const longestSleepMs = 24 * 3600 * 1000

/**
 * One timer for many deadlines, nearly all of which are removed in time: a call or a socket must not cost a timer of its own. To add and
 * to remove takes the same few steps however many there are. Those that are due in the same `resolutionMs` stand in one bucket, a ring
 * that begins and ends with the bucket itself. A Set would do, but the memory it discards when it grows keeps its former members alive.
 */
export function createDeadlineQueue(timers: Timers, options: DeadlineQueueOptions = {}) {
  const { resolutionMs = 10, holdsProcess = false } = options
  const buckets = new Map<number, Deadline>()
  /** The bucket that was added to last. It is kept while it is empty: the next deadline is often due at about the same time. */
  let latest = new Deadline(Number.NaN)
  let size = 0
  let timer: Timer | undefined
  let wakesAtTick = Number.POSITIVE_INFINITY
  let isClosed = false

  function wakeAt(tick: number): void {
    if (isClosed) return
    timer?.cancel()
    wakesAtTick = tick
    const inMs = Math.max(0, tick * resolutionMs - timers.monotonic())
    timer = timers.start(Math.min(inMs, longestSleepMs), wake)
    if (holdsProcess && size > 0) timer.hold()
  }

  function wake(): void {
    timer = undefined
    // What the owners add while they are called is found below.
    wakesAtTick = Number.NEGATIVE_INFINITY
    try {
      for (let tick = firstTick(); tick * resolutionMs <= timers.monotonic(); tick = firstTick()) runBucket(tick)
    } finally {
      wakesAtTick = Number.POSITIVE_INFINITY
      const next = firstTick()
      if (next !== Number.POSITIVE_INFINITY) wakeAt(next)
    }
  }

  function runBucket(tick: number): void {
    const bucket = buckets.get(tick)
    for (let first = bucket?.next; first && first !== bucket; first = bucket?.next) {
      remove(first)
      first.owner?.onDue()
    }
  }

  /** Returns the first tick that has a deadline. It looks at all buckets, but only when the timer wakes. */
  function firstTick(): number {
    let first = Number.POSITIVE_INFINITY
    for (const [tick, bucket] of buckets) if (tick < first && bucket.next !== bucket) first = tick
    return first
  }

  function bucketAt(tick: number): Deadline {
    if (latest.next === latest) buckets.delete(latest.tick)
    latest = buckets.get(tick) ?? new Deadline(tick)
    buckets.set(tick, latest)
    return latest
  }

  /** `dueMs` is a time of the monotonic clock. A deadline that is over already is due in a moment. */
  function add(owner: DeadlineOwner, dueMs: number): Deadline {
    const tick = Math.ceil(dueMs / resolutionMs)
    const deadline = new Deadline(tick, owner)
    const bucket = tick === latest.tick ? latest : bucketAt(tick)
    const last = bucket.previous as Deadline
    deadline.previous = last
    deadline.next = bucket
    last.next = deadline
    bucket.previous = deadline
    size += 1
    if (holdsProcess && size === 1) timer?.hold()
    if (tick < wakesAtTick) wakeAt(tick)
    return deadline
  }

  /** Returns whether the deadline was still pending: false if it was due or was removed before. */
  function remove(deadline: Deadline): boolean {
    const { previous, next } = deadline
    if (!previous || !next) return false
    previous.next = next
    next.previous = previous
    deadline.previous = undefined
    deadline.next = undefined
    size -= 1
    if (holdsProcess && size === 0) timer?.release()
    // If both neighbours are the same, that is the bucket itself, which is empty now.
    if (previous === next && next !== latest) buckets.delete(next.tick)
    return true
  }

  return {
    add,
    remove,
    /** The clock that deadlines use. */
    monotonic: timers.monotonic,
    /** Stops the timer: from now on no deadline is due. */
    close(): void {
      isClosed = true
      timer?.cancel()
    },
  }
}
