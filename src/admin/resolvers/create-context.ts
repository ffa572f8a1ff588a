import type { Domain } from '../../domain/domain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { UserId } from '../../protocol/ids.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import type { Cursors } from '../../resolvers/cursors.ts'
import type { AuditLine } from './audit.ts'
import { AdminContext } from './context.ts'

type Options<Ids> = {
  domain: Domain
  cursors: Cursors
  clock: Clock
  /** Writes a line about a mutation that has ended, with the ids of the operation. */
  audit: (serviceId: UserId, line: AuditLine, ids: Ids | undefined) => void
}

/** Makes a context for each operation of a backend. The transport admits nobody else to this API. */
export const createAdminContextFactory =
  <Ids>({ domain, cursors, clock, audit }: Options<Ids>) =>
  (viewer: Viewer | undefined, _stream?: object, _origin?: string, ids?: Ids): AdminContext => {
    if (!viewer) throw new Error('The admin API was reached without a token.')
    const { userId } = viewer
    return new AdminContext(domain, cursors, userId, (line) => audit(userId, line, ids), clock.now)
  }
