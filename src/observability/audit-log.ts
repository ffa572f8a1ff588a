import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import type { OperationIds } from './operation-ids.ts'

type Line = { mutation: string; ids: Readonly<Record<string, unknown>>; as?: string; outcome: string }

/** Writes who has done what by the admin API, one line for each mutation, and counts them. */
export function createAuditLog(logger: Logger, registry: Registry) {
  const mutations = new Counter({
    name: 'parley_admin_mutations_total',
    help: 'Mutations of the admin API by outcome: OK or the code of the error',
    labelNames: ['mutation', 'outcome'],
    registers: [registry],
  })
  return (
    serviceId: string,
    { mutation, ids, as, outcome }: Line,
    { requestId, connectionId, operationId }: OperationIds = {},
  ) => {
    mutations.inc({ mutation, outcome })
    logger.info({ requestId, connectionId, operationId, service: serviceId, mutation, ids, as, outcome }, 'audit')
  }
}
