import type { Domain } from '../domain/domain.ts'
import type { OnSent } from '../domain/sending/send.ts'
import { ChatError } from '../protocol/errors.ts'
import type { UserId } from '../protocol/ids.ts'
import type { Viewer } from '../protocol/viewer.ts'
import type { Overload } from '../shared/load-budget.ts'
import type { Cursors } from './cursors.ts'
import { Loaders } from './loaders.ts'
import type { ReadTicks } from './recent-ticks.ts'

/**
 * What a resolver gets: fresh for every operation, and for every event of a subscription, since loaders remember. Each root field of a
 * mutation has loaders of its own, see mutation-fields.ts.
 */
export class Context {
  readonly viewer: Viewer | undefined
  readonly domain: Domain
  readonly cursors: Cursors
  /** This node's address, as the viewer has it. */
  readonly origin: string
  /** Told of what this operation sends. */
  readonly onSent: OnSent | undefined
  /** What this operation has loaded so far, and whether that is too much: see `charge`. */
  loaded = 0
  overload?: Overload
  readonly #readTicks: ReadTicks | undefined
  #loaders: Loaders | undefined

  /** `readTicks`: how the events of a stream read boundaries, where it is not afresh for each. */
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

  /** What comes from here on is looked up anew. */
  renewLoaders(): void {
    this.#loaders = undefined
  }

  /** Who is in what is asked again from here on; all else that was loaded stays. */
  forgetMembers(): void {
    this.#loaders?.forgetMembers()
  }
}

/** The viewer, or the end of the operation. */
export function viewerId({ viewer }: Context): UserId {
  if (!viewer) throw new ChatError('UNAUTHENTICATED', 'A valid token is needed: Authorization: Bearer <token>.')
  return viewer.userId
}
