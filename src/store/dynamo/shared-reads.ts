type Waiting<Found> = {
  found: Promise<Found>
  begin: () => void
}

/**
 * The same read, asked for by many at once: a crowd that comes back asks for one page. Whoever asks while it is under way cannot
 * have its answer, which may miss what was written since it began. But all of them can have that of the next one, which begins
 * when it ends: as fresh as a read of their own, and never more than one at a time. What they get is one and the same object.
 *
 * `patient`: a read begins only when all that is to be done in this turn is done, so that whoever asks in the same turn has the same.
 */
export function createSharedReads<Found>({ patient = false } = {}) {
  /** By key, those under way, each with the next one if somebody waits for it. */
  const underWay = new Map<string, { next?: Waiting<Found> }>()

  function begin(key: string, read: () => Promise<Found>): Promise<Found> {
    const current: { next?: Waiting<Found> } = {}
    underWay.set(key, current)
    const onEnd = () => {
      if (current.next) current.next.begin()
      else underWay.delete(key)
    }
    const found = read()
    found.then(onEnd, onEnd)
    return found
  }

  function wait(key: string, read: () => Promise<Found>): Waiting<Found> {
    let begun: (found: Promise<Found>) => void
    const found = new Promise<Found>((resolve) => {
      begun = resolve
    })
    return { found, begin: () => begun(begin(key, read)) }
  }

  function beginLater(key: string, read: () => Promise<Found>): Promise<Found> {
    const next = wait(key, read)
    underWay.set(key, { next })
    setImmediate(next.begin)
    return next.found
  }

  return function share(key: string, read: () => Promise<Found>): Promise<Found> {
    const current = underWay.get(key)
    if (!current) return patient ? beginLater(key, read) : begin(key, read)
    current.next ??= wait(key, read)
    return current.next.found
  }
}
