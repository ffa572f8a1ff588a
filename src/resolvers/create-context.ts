import type { Domain } from '../domain/domain.ts'
import type { OnSent } from '../domain/sending/send.ts'
import type { Clock } from '../ports/clock.ts'
import type { Viewer } from '../protocol/viewer.ts'
import { Context } from './context.ts'
import type { Cursors } from './cursors.ts'
import { createRecentTicks, type ReadTicks } from './messages/recent-ticks.ts'

type CreateContextOptions<Ids> = {
  domain: Domain
  cursors: Cursors
  clock: Clock
  /** Makes the callback that is called for each message that an operation with these ids sends. */
  onSentFor: (ids: Ids) => OnSent
  onNameError: (error: unknown) => void
}

/**
 * Makes a context for each operation, and for each event of a subscription. `stream` is the same for all events of one subscription, which
 * read boundaries together. It is undefined for queries and mutations.
 */
export function createContextFactory<Ids>(options: CreateContextOptions<Ids>) {
  const { domain, cursors, clock, onSentFor, onNameError } = options
  const ticksOfStreams = new WeakMap<object, ReadTicks>()

  function readTicksOf(stream: object): ReadTicks {
    const readTicks = ticksOfStreams.get(stream) ?? createRecentTicks(domain.boundariesOfMembers, clock.monotonic)
    ticksOfStreams.set(stream, readTicks)
    return readTicks
  }

  return (viewer: Viewer | undefined, stream?: object, origin?: string, ids?: Ids): Context => {
    if (viewer?.name !== undefined) domain.people.remember(viewer).catch(onNameError)
    if (stream) return new Context(domain, cursors, viewer, readTicksOf(stream), origin)
    return new Context(domain, cursors, viewer, undefined, origin, ids && onSentFor(ids))
  }
}
