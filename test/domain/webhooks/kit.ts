import { randomUUID } from 'node:crypto'
import type { Domain } from '../../../src/domain/domain.ts'
import type { FeedPositions } from '../../../src/domain/feed/positions.ts'
import type { Webhooks } from '../../../src/domain/webhooks/webhooks.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import type { DeliveryOutcome } from '../../../src/ports/webhooks.ts'
import type { ClientMessageId, MessageId, UserId } from '../../../src/protocol/ids.ts'
import { memoryDomain, nextTurn } from '../../kit/memory-domain.ts'
import { createSleepers, type Sleepers } from '../../kit/stepped-clock.ts'

// Nodes that deliver, on stores in memory and on a clock that the test moves, so that three days take no time and a node dies between two steps.

export type Posted = {
  id: string
  type: string
  conversationId: string | null
  seq: number | null
  data: Record<string, unknown>
  url: string
  secrets: readonly string[]
  atMs: number
}
/** An answer with this status; none: the connection fails; a promise: whenever it comes. */
type Answer = number | 'none' | { status: number; retryAfterMs: number }
export type Endpoint = (event: Posted) => Answer | Promise<Answer>

export type Node = {
  domain: Domain
  ports: Ports
  webhooks: Webhooks
  work: NonNullable<Domain['webhookWork']>
  state: { isStopped: boolean; isKilled: boolean }
  kill(): void
}
export type WebhookWorld = ReturnType<typeof createWebhookWorld>
type Faults = { changed?: (ports: Ports) => Partial<Ports> }

const secondMs = 1000
/** Work of a node that needs no time is done after so many turns. */
const turns = 12
const never = <T>(): Promise<T> => new Promise(() => undefined)

export function createWebhookWorld() {
  let nowMs = Date.UTC(2027, 0, 1)
  const sleepersOf: { state: Node['state']; sleepers: Sleepers }[] = []
  const posts: Posted[] = []
  const endpoints = new Map<string, Endpoint>()
  const nodes: Node[] = []
  const errors: unknown[] = []
  let shared: Ports | undefined

  function clockOf(state: Node['state']): Clock {
    const sleepers = createSleepers()
    sleepersOf.push({ state, sleepers })
    return { now: () => nowMs, monotonic: () => nowMs, sleep: (ms, signal) => sleepers.sleep(nowMs + ms, signal) }
  }

  async function outcomeOf(posted: Posted): Promise<DeliveryOutcome> {
    const answer = await (endpoints.get(posted.url)?.(posted) ?? 'none')
    if (answer === 'none') return { ok: false, tookMs: 1, error: 'ECONNREFUSED' }
    const { status, retryAfterMs } = typeof answer === 'number' ? { status: answer } : answer
    if (status < 300) return { ok: true, tookMs: 1 }
    return { ok: false, tookMs: 1, status, error: `status ${status}`, ...(retryAfterMs && { retryAfterMs }) }
  }

  /** A node that was killed does nothing more; one that is paused does it later. */
  function startNode({ changed = () => ({}) }: Faults = {}): Node {
    const state = { isStopped: false, isKilled: false }
    const gate =
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      (...args: A): Promise<R> =>
        state.isKilled ? never() : call(...args)
    let made = 0
    const { domain, ports } = memoryDomain(
      (plain) => {
        shared ??= plain
        const own: Ports = { ...shared, clock: clockOf(state) }
        const { webhookProgress, webhookFailures } = own
        return {
          ...own,
          webhookProgress: { ...webhookProgress, save: gate(webhookProgress.save) },
          webhookFailures: { ...webhookFailures, put: gate(webhookFailures.put), remove: gate(webhookFailures.remove) },
          webhookPost: {
            problemOf: async () => undefined,
            newSecret: () => `secret ${++made}`,
            post: gate(async ({ url, secrets, body }) => {
              const posted: Posted = { ...(JSON.parse(body) as Posted), url, secrets, atMs: nowMs }
              posts.push(posted)
              const outcome = await outcomeOf(posted)
              return state.isKilled ? never() : outcome
            }),
          },
          ...changed(own),
        }
      },
      {
        feed: true,
        randomId: randomUUID,
        nextMessageId: () => randomUUID() as string as MessageId,
        webhooks: {
          random: () => 0,
          onError: (error) => void errors.push(error),
          observer: {
            delivered: () => undefined,
            failed: () => undefined,
            gaveUp: () => undefined,
            disabled: () => undefined,
            state: () => undefined,
          },
        },
      },
    )
    const node: Node = {
      domain,
      ports,
      state,
      webhooks: domain.webhooks as Webhooks,
      work: domain.webhookWork as Node['work'],
      kill() {
        state.isKilled = true
        state.isStopped = true
        nodes.splice(nodes.indexOf(node), 1)
      },
    }
    nodes.push(node)
    return node
  }

  async function settle(): Promise<void> {
    for (let i = 0; i < turns; i += 1) await nextTurn()
  }

  async function jump(ms: number): Promise<void> {
    nowMs += ms
    for (const { state, sleepers } of sleepersOf) if (!state.isStopped) sleepers.wakeUntil(nowMs)
    await settle()
  }

  /** Moves the time on for as long as something takes. */
  async function during<T>(work: Promise<T>): Promise<T> {
    let isOver = false
    void work.then(
      () => {
        isOver = true
      },
      () => {
        isOver = true
      },
    )
    for (await settle(); !isOver; ) await jump(100)
    return work
  }

  /** What nodes do every two seconds; then they have some time to deliver. */
  async function look(): Promise<void> {
    for (const { work, state } of [...nodes]) if (!state.isStopped) await during(work.tick())
    for (let i = 0; i < 6; i += 1) await jump(250)
  }

  /** In steps of an hour at most. */
  async function pass(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs -= 3_600_000) {
      await jump(Math.max(0, Math.min(leftMs, 3_600_000) - 1500))
      await look()
    }
  }

  let sent = 0
  async function send(from: string, to: string, body: string): Promise<void> {
    const [node] = nodes
    if (!node) throw new Error('There is no node.')
    const clientMessageId = `m${++sent}` as ClientMessageId
    await during(node.domain.sendTo(from as UserId, to as UserId, { clientMessageId, body }))
  }

  return {
    posts,
    errors,
    startNode,
    during,
    look,
    pass,
    jump,
    settle,
    send,
    second: secondMs,
    now: () => nowMs,
    endpoint(url: string, answer: Endpoint): void {
      endpoints.set(url, answer)
    },
    /** The texts that were posted there, in order. */
    texts: (url: string): unknown[] =>
      posts.filter((each) => each.url === url && each.type === 'message.sent').map(({ data }) => data.body),
    create: (node: Node, url: string, more: { eventTypes?: string[]; from?: FeedPositions } = {}) =>
      during(node.webhooks.create({ url, eventTypes: ['message.sent'], ...more })),
  }
}
