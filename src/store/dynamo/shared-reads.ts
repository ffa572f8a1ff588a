type QueuedRead<Found> = {
  found: Promise<Found>
  begin: () => void
}

/**
 * Shares one read between many callers: clients that reconnect together ask for the same page. A caller that comes while a read is under way
 * cannot have its result, which may miss what was written since that read began. All such callers share the next read, which begins when
 * this one ends: it is as fresh as a read of their own, and there is never more than one at a time. They all get the same object.
 *
 * With `patient`, a read begins only at the end of this turn of the event loop, so that all callers of the same turn share it.
 */
export function createSharedReads<Found>({ patient = false } = {}) {
  /** The reads under way by key, each with the next one if a caller waits for it. */
  const underWay = new Map<string, { next?: QueuedRead<Found> }>()

  function begin(key: string, read: () => Promise<Found>): Promise<Found> {
    const current: { next?: QueuedRead<Found> } = {}
    underWay.set(key, current)
    const onEnd = () => {
      if (current.next) current.next.begin()
      else underWay.delete(key)
    }
    const found = read()
    found.then(onEnd, onEnd)
    return found
  }

  function queue(key: string, read: () => Promise<Found>): QueuedRead<Found> {
    let begun: (found: Promise<Found>) => void
    const found = new Promise<Found>((resolve) => {
      begun = resolve
    })
    return { found, begin: () => begun(begin(key, read)) }
  }

  function beginLater(key: string, read: () => Promise<Found>): Promise<Found> {
    const next = queue(key, read)
    underWay.set(key, { next })
    setImmediate(next.begin)
    return next.found
  }

  return function share(key: string, read: () => Promise<Found>): Promise<Found> {
    const current = underWay.get(key)
    if (!current) return patient ? beginLater(key, read) : begin(key, read)
    current.next ??= queue(key, read)
    return current.next.found
  }
}
