// Traces a message across send → publish → deliver. A node loads this file only where OTEL_EXPORTER_OTLP_ENDPOINT is set.
//
// Each operation has a span, which continues the client's trace; in it each call to Redis and DynamoDB has a span. The one that
// publishes a message sends its own traceparent along, and the node that hands the message to a reader continues from there. No
// globals of OpenTelemetry are set, since nodes may share a process. Spans carry ids and codes, never what a user wrote.

import { AsyncLocalStorage } from 'node:async_hooks'
import { ROOT_CONTEXT, type Span, type SpanContext, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { TracingSettings } from '../config/config.ts'
import type { Clock } from '../ports/clock.ts'
import type { Message } from '../ports/log.ts'
import type { OperationIds } from './operation-ids.ts'
import type { Operation } from './operation-log.ts'

export type Tracing = ReturnType<typeof createTracing>

const exportEveryMs = 1000
const closeWithinMs = 500
const nameMaxChars = 80
const publishes = new Set(['events.ring', 'events.ringGroup'])
const untraced = { ended: () => undefined }

export function createTracing({ endpoint, serviceName }: TracingSettings, clock: Clock, nodeId: string) {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.instance.id': nodeId }),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }), {
        scheduledDelayMillis: exportEveryMs,
      }),
    ],
  })
  const tracer = provider.getTracer('parley')
  const active = new AsyncLocalStorage<Span>()
  /** For the message of an event: the span that published it, and when the event arrived here. */
  const heardFrom = new WeakMap<object, { publisher: SpanContext; atMs: number }>()

  /** `codeOf` returns the code of the error in an outcome, if there is one. */
  async function operation<T>(
    { name, type, transport, ids = {} }: Operation,
    traceparent: unknown,
    work: () => Promise<T>,
    codeOf: (outcome: T) => string | undefined = () => undefined,
  ): Promise<T> {
    const attributes = {
      'graphql.operation.type': type,
      'parley.transport': transport,
      ...(name !== undefined && { 'graphql.operation.name': name.slice(0, nameMaxChars) }),
      ...attributesOf(ids),
    }
    const shown = name === undefined ? type : `${type} ${name.slice(0, nameMaxChars)}`
    const span = tracer.startSpan(shown, { kind: SpanKind.SERVER, attributes }, within(parseTraceparent(traceparent)))
    try {
      const outcome = await active.run(span, work)
      fail(span, codeOf(outcome))
      return outcome
    } catch (error) {
      fail(span, String((error as { code?: unknown }).code ?? 'INTERNAL'))
      throw error
    } finally {
      for (const { messageId, conversationId, seq } of ids.sent ?? []) {
        span.addEvent('sent', {
          'parley.message.id': messageId,
          'parley.conversation.id': conversationId,
          'parley.seq': seq,
        })
      }
      span.end()
    }
  }

  /** Makes a span only within an operation: what a node does by its timers belongs to no trace. */
  function call(system: string, name: string, shown: string, kind: SpanKind, table?: string) {
    const parent = active.getStore()
    if (!parent) return untraced
    const attributes = {
      'db.system.name': system,
      'db.operation.name': name,
      ...(table && { 'db.collection.name': table }),
    }
    const span = tracer.startSpan(shown, { kind, attributes }, within(parent.spanContext()))
    return {
      ended(error?: unknown) {
        if (error !== undefined) fail(span, 'UNAVAILABLE')
        span.end()
      },
      ...(kind === SpanKind.PRODUCER && { traceparent: formatTraceparent(span.spanContext()) }),
    }
  }

  return {
    operation,
    redis: (name: string) =>
      publishes.has(name)
        ? call('redis', name, 'publish', SpanKind.PRODUCER)
        : call('redis', name, `redis ${name}`, SpanKind.CLIENT),
    dynamodb: (name: string, table?: string) =>
      call('aws.dynamodb', name, `dynamodb ${name} ${table}`, SpanKind.CLIENT, table),
    heard(message: object, traceparent: unknown): void {
      const publisher = parseTraceparent(traceparent)
      if (publisher) heardFrom.set(message, { publisher, atMs: clock.now() })
    },
    delivered(event: unknown, ids: OperationIds): void {
      const { row } = (event ?? {}) as { row?: Message }
      const heard = row && heardFrom.get(row)
      if (!heard) return
      const { conversationId, seq, messageId } = row
      const attributes = {
        'parley.message.id': messageId,
        'parley.conversation.id': conversationId,
        'parley.seq': seq,
        ...attributesOf(ids),
      }
      const { publisher, atMs } = heard
      const options = { kind: SpanKind.CONSUMER, attributes, startTime: atMs }
      tracer.startSpan('deliver', options, within(publisher)).end(clock.now())
    },
    async close(): Promise<void> {
      const closed = new AbortController()
      const shutdown = provider.shutdown().catch(() => undefined)
      await Promise.race([shutdown.finally(() => closed.abort()), clock.sleep(closeWithinMs, closed.signal)])
    },
  }
}

const within = (parent: SpanContext | undefined) => (parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT)

function fail(span: Span, code: string | undefined): void {
  if (code === undefined) return
  span.setAttribute('parley.code', code)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const attributesOf = ({ requestId, connectionId, userId }: OperationIds) => ({
  ...(requestId && { 'parley.request.id': requestId }),
  ...(connectionId && { 'parley.connection.id': connectionId }),
  ...(userId && { 'parley.user.id': userId }),
})

/** Reads the header `traceparent` of W3C Trace Context. */
function parseTraceparent(text: unknown): SpanContext | undefined {
  const found = typeof text === 'string' ? /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text) : undefined
  const [, traceId = '', spanId = '', flags = ''] = found ?? []
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}

const formatTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-0${traceFlags & 1}`
