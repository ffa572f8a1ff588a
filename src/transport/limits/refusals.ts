import { Counter, type Registry } from 'prom-client'
import { fromZero } from '../../shared/from-zero.ts'

/** The limits that a client can reach. */
export type Refusal = (typeof refusals)[number]
const refusals = [
  'operation_rate',
  'operations_per_socket',
  'sockets_per_user',
  'sockets_per_address',
  'sockets_uninitialised',
  'streams_per_user',
  'subscriptions_per_user',
  'bad_tokens',
  'slow_reader',
  'slow_request',
  'ping_flood',
] as const

export type Refusals = (reason: Refusal) => void

export function createRefusals(registry: Registry): Refusals {
  const counter = new Counter({
    name: 'parley_refusals_total',
    help: 'What was refused, or cut off, because a limit on connections or rates was reached',
    labelNames: ['reason'],
    registers: [registry],
  })
  fromZero(counter, { reason: refusals })
  return (reason) => counter.inc({ reason })
}
