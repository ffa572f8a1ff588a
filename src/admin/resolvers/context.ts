import type { Domain } from '../../domain/domain.ts'
import type { UserId } from '../../protocol/ids.ts'
import type { Cursors } from '../../resolvers/cursors.ts'
import type { Overload } from '../../shared/load-budget.ts'
import type { Audit } from './audit.ts'

/** Every operation of a backend gets one of its own, and every event of a subscription. */
export class AdminContext {
  readonly domain: Domain
  readonly cursors: Cursors
  /** The `sub` of the service's token. */
  readonly serviceId: UserId
  readonly audit: Audit
  /** The time of day. */
  readonly nowMs: () => number
  /** What this operation has loaded so far, and whether that is too much: see `charge`. */
  loaded = 0
  overload?: Overload

  constructor(domain: Domain, cursors: Cursors, serviceId: UserId, audit: Audit, nowMs: () => number) {
    this.domain = domain
    this.cursors = cursors
    this.serviceId = serviceId
    this.audit = audit
    this.nowMs = nowMs
  }
}
