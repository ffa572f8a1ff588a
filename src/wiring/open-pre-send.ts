import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { CompleteConfig } from '../config/dev-secrets.ts'
import { preSendSecrets } from '../config/pre-send.ts'
import type { Clock } from '../ports/clock.ts'
import { createPreSendMetrics } from '../pre-send/metrics.ts'
import { createPreSend } from '../pre-send/pre-send.ts'

type Options = { clock: Clock; registry: Registry; logger: Logger; timeoutMs: number | undefined }

/** Makes what asks the operator's backend before a message is stored; undefined if none is configured. */
export function openPreSend(config: CompleteConfig, { clock, registry, logger, timeoutMs }: Options) {
  const { preSend } = config
  if (!preSend) return undefined
  const { url, failure } = preSend
  const observer = createPreSendMetrics(registry, {
    clock,
    onFailure: (said) => logger.warn({ ...said, failure }, 'the backend has not decided about a message'),
  })
  const secrets = preSendSecrets(config)
  return createPreSend({ url, failure, secrets, clock, observer, ...(timeoutMs && { timeoutMs }) })
}
