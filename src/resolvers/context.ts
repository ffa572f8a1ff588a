import type { Domain } from '../domain/domain.ts'
import type { Witness } from '../domain/send.ts'
import { ChatError } from '../protocol/errors.ts'
import type { UserId } from '../protocol/ids.ts'
import type { Viewer } from '../protocol/viewer.ts'
import type { Cursors } from './cursors.ts'
import { Loaders } from './loaders.ts'
import type { ReadTicks } from './recent-ticks.ts'

/** What a resolver gets: fresh for every operation, and for every event of a subscription, since loaders remember. */
export type Context = {
  viewer: Viewer | undefined
  domain: Domain
  cursors: Cursors
  readonly loaders: Loaders
  /** This node's address, as the viewer has it. */
  origin: string
  /** Told of what this operation sends. */
  onSent?: Witness
}

/** `readTicks`: how the events of a stream read boundaries, where it is not afresh for each. */
export function createContext(
  domain: Domain,
  cursors: Cursors,
  viewer: Viewer | undefined,
  readTicks?: ReadTicks,
  origin = 'http://localhost',
  onSent?: Witness,
): Context {
  let loaders: Loaders | undefined
  const context: Context = {
    viewer,
    domain,
    cursors,
    get loaders() {
      loaders ??= new Loaders(domain, viewer?.userId, readTicks)
      return loaders
    },
    origin,
  }
  if (onSent) context.onSent = onSent
  return context
}

/** The viewer, or the end of the operation. */
export function viewerId({ viewer }: Context): UserId {
  if (!viewer) throw new ChatError('UNAUTHENTICATED', 'A valid token is needed: Authorization: Bearer <token>.')
  return viewer.userId
}
