import type { Domain } from '../domain/domain.ts'
import type { OnSent } from '../domain/sending/send.ts'
import { ChatError } from '../protocol/errors.ts'
import type { UserId } from '../protocol/ids.ts'
import type { Viewer } from '../protocol/viewer.ts'
import type { Overload } from '../shared/load-budget.ts'
import type { Cursors } from './cursors.ts'
import { Loaders } from './loaders.ts'
import type { ReadTicks } from './messages/recent-ticks.ts'

/**
 * Every operation, and every event of a subscription, gets a context of its own, since loaders remember. Each root field of a mutation
 * also has loaders of its own; mutation-fields.ts says why.
 */
export class Context {
  readonly viewer: Viewer | undefined
  readonly domain: Domain
  readonly cursors: Cursors
  /** The address under which the viewer reaches this node. */
  readonly origin: string
  /** Called for each message that this operation sends. */
  readonly onSent: OnSent | undefined
  /** What this operation has loaded so far, and whether that is too much: see `charge`. */
  loaded = 0
  overload?: Overload
  readonly #readTicks: ReadTicks | undefined
  #loaders: Loaders | undefined

  /** `readTicks`: how the events of a stream read boundaries, if not anew for each event. */
  constructor(
    domain: Domain,
    cursors: Cursors,
    viewer: Viewer | undefined,
    readTicks?: ReadTicks,
    origin = 'http://localhost',
    onSent?: OnSent,
  ) {
    this.viewer = viewer
    this.domain = domain
    this.cursors = cursors
    this.origin = origin
    this.onSent = onSent
    this.#readTicks = readTicks
  }

  get loaders(): Loaders {
    this.#loaders ??= new Loaders(this.domain, this.viewer?.userId, this.#readTicks, this)
    return this.#loaders
  }

  /** Makes fresh loaders, so that later fields read everything again. */
  renewLoaders(): void {
    this.#loaders = undefined
  }

  /** Makes later fields read memberships again. Everything else that was loaded stays. */
  forgetMembers(): void {
    this.#loaders?.forgetMembers()
  }
}

/** Returns the viewer's id. An operation without a viewer fails here. */
export function viewerId({ viewer }: Context): UserId {
  if (!viewer) throw new ChatError('UNAUTHENTICATED', 'A valid token is needed: Authorization: Bearer <token>.')
  return viewer.userId
}
