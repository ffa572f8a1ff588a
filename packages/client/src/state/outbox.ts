import { type MessageFieldsFragment, type RecipientInput, SendMessageDocument } from '../generated/graphql.ts'
import type { Ask } from '../link/link.ts'
import { bodyProblem } from '../protocol/body-problem.ts'
import { backoffMs } from '../shared/backoff.ts'
import { asClientError, ClientError, isFinal } from '../shared/client-error.ts'
import { createValue, type Observable } from '../shared/observable.ts'
import type { PersistedState } from '../shared/persisted-state.ts'

// The outbox keeps what the user sends until it is stored and has come back through the inbox.
//
// A message gets its clientMessageId once, here. It is persisted before its first attempt, and sent with that id until the answer, or the
// message itself in the inbox, says that it is stored. In each conversation one message is in flight at a time, so they arrive in the
// order they were written. An attempt whose answer is lost may have succeeded; the next one with the same id then gets the same message.

/** A person, whose direct chat need not exist yet, or a conversation. */
export type Recipient = RecipientInput

export type Sending = {
  /** The message that it replies to. */
  replyToSeq?: number
  /** Uploads that are done. The text may then be empty. */
  attachmentIds?: string[]
  /** Data of the application for its own use, up to 4 KB of JSON. */
  metadata?: Record<string, unknown>
}

/**
 * `waiting`: it is tried until it is stored. `sent`: it is stored, and the inbox has yet to bring it. `failed`: the server refused it for
 * good, with a reason.
 */
export type Outgoing = Sending & {
  clientMessageId: string
  to: Recipient
  body: string
  createdAtMs: number
  state: 'waiting' | 'sent' | 'failed'
  error?: Pick<ClientError, 'code' | 'message'>
}

export type OutboxOptions = {
  ask: Ask
  persistedState: PersistedState
  random: () => number
  randomId: () => string
  now: () => number
  /** Messages of one queue are sent one after the other. */
  queueOf: (to: Recipient) => string
  /** Called when the message is stored. Returns whether the inbox had it already, or never will. */
  onStored: (message: MessageFieldsFragment, to: Recipient) => boolean
}

const key = (clientMessageId: string): string => `outbox:${clientMessageId}`

export type Outbox = ReturnType<typeof createOutbox>

export function createOutbox({ ask, persistedState, random, randomId, now, queueOf, onStored }: OutboxOptions) {
  const entries = createValue<readonly Outgoing[]>([])
  const inFlight = new Set<string>()
  /** Messages that wait for their next attempt. */
  const pauses = new Map<string, { timer: ReturnType<typeof setTimeout>; failures: number }>()
  /** Messages that are sent, as the server has them. */
  const stored = new Map<string, MessageFieldsFragment>()
  let latestMs = 0
  /** Messages of an earlier run are sent first, so nothing is sent before they are restored. */
  let restored = false
  let closed = false

  /** Two messages of one millisecond keep their order, also after a reload, and when the clock steps back. */
  function after(ms: number): number {
    latestMs = Math.max(ms, latestMs + 1)
    return latestMs
  }

  const find = (clientMessageId: string): Outgoing | undefined =>
    entries.get().find((each) => each.clientMessageId === clientMessageId)

  function put(outgoing: Outgoing): void {
    const others = entries.get().filter((each) => each.clientMessageId !== outgoing.clientMessageId)
    entries.set([...others, outgoing].sort((a, b) => a.createdAtMs - b.createdAtMs))
    persistedState.set(key(outgoing.clientMessageId), outgoing.state === 'sent' ? undefined : outgoing)
  }

  function remove(clientMessageId: string): void {
    if (!find(clientMessageId)) return
    forgetPause(clientMessageId)
    stored.delete(clientMessageId)
    entries.set(entries.get().filter((each) => each.clientMessageId !== clientMessageId))
    persistedState.set(key(clientMessageId), undefined)
  }

  function forgetPause(clientMessageId: string): void {
    clearTimeout(pauses.get(clientMessageId)?.timer)
    pauses.delete(clientMessageId)
  }

  /** Sends the first message of each queue, unless one of the queue is in flight or pausing. */
  function sendNext(): void {
    if (closed || !restored) return
    const waiting = entries.get().filter(({ state }) => state === 'waiting')
    const begun = waiting.filter(({ clientMessageId: id }) => inFlight.has(id) || pauses.has(id))
    const busy = new Set(begun.map(({ to }) => queueOf(to)))
    for (const outgoing of waiting) {
      const queue = queueOf(outgoing.to)
      if (busy.has(queue)) continue
      busy.add(queue)
      void attempt(outgoing, 0)
    }
  }

  async function attempt(outgoing: Outgoing, failures: number): Promise<void> {
    const { clientMessageId, to, body } = outgoing
    const input = { clientMessageId, to, body, ...optionsOf(outgoing) }
    inFlight.add(clientMessageId)
    try {
      await persistedState.written()
      if (closed) return
      const { sendMessage } = await ask(SendMessageDocument, { input })
      if (onStored(sendMessage.message, to)) remove(clientMessageId)
      else if (find(clientMessageId)) {
        stored.set(clientMessageId, sendMessage.message)
        put({ ...outgoing, state: 'sent' })
      }
    } catch (error) {
      failed(outgoing, asClientError(error), failures + 1)
    } finally {
      inFlight.delete(clientMessageId)
      sendNext()
    }
  }

  function failed(outgoing: Outgoing, error: ClientError, failures: number) {
    const { clientMessageId } = outgoing
    const { code, message, retryAfterMs = 0 } = error
    // The inbox may have brought it meanwhile.
    if (closed || find(clientMessageId)?.state !== 'waiting') return
    if (isFinal(error)) return put({ ...outgoing, state: 'failed', error: { code, message } })
    const again = () => {
      pauses.delete(clientMessageId)
      void attempt(outgoing, failures)
    }
    const timer = setTimeout(again, Math.max(retryAfterMs, backoffMs(failures, random)))
    pauses.set(clientMessageId, { timer, failures })
  }

  /** Ends all pauses, because there is a link again. */
  function wake(): void {
    for (const clientMessageId of [...pauses.keys()]) forgetPause(clientMessageId)
    sendNext()
  }

  return {
    entries: entries as Observable<readonly Outgoing[]>,
    send(to: Recipient, body: string, sending: Sending = {}): Outgoing {
      const problem = body === '' && sending.attachmentIds?.length ? undefined : bodyProblem(body)
      if (problem) throw new ClientError(problem, { code: 'BAD_USER_INPUT', retryable: false, field: 'body' })
      const outgoing: Outgoing = {
        clientMessageId: randomId(),
        to,
        body,
        ...optionsOf(sending),
        createdAtMs: after(now()),
        state: 'waiting',
      }
      put(outgoing)
      sendNext()
      return outgoing
    },
    retry(clientMessageId: string): void {
      const outgoing = find(clientMessageId)
      if (outgoing?.state !== 'failed') return
      const { error: _error, ...rest } = outgoing
      put({ ...rest, state: 'waiting' })
      sendNext()
    },
    discard(clientMessageId: string): void {
      if (find(clientMessageId)?.state === 'failed') remove(clientMessageId)
    },
    /** Removes a message that the inbox has brought. */
    arrived(clientMessageId: string): void {
      remove(clientMessageId)
      sendNext()
    },
    /** Returns the sent messages that the inbox has yet to bring. */
    awaited: (): MessageFieldsFragment[] => [...stored.values()],
    /** Removes sent messages that the inbox will not bring, because it begins above them. */
    removeStored(has: (message: MessageFieldsFragment) => boolean): void {
      for (const [clientMessageId, message] of [...stored]) if (has(message)) remove(clientMessageId)
    },
    wake,
    sendNext,
    restore(kept: Iterable<[string, unknown]>): void {
      const early = entries.get()
      const left = [...kept].filter(([name]) => name.startsWith('outbox:')).map(([, value]) => value as Outgoing)
      for (const outgoing of left) put(outgoing)
      latestMs = Math.max(0, ...left.map(({ createdAtMs }) => createdAtMs))
      for (const outgoing of early) put({ ...outgoing, createdAtMs: after(outgoing.createdAtMs) })
      restored = true
      sendNext()
    },
    close(): void {
      closed = true
      for (const clientMessageId of [...pauses.keys()]) forgetPause(clientMessageId)
    },
  }
}

const optionsOf = ({ replyToSeq, attachmentIds, metadata }: Sending): Sending => ({
  ...(replyToSeq !== undefined && { replyToSeq }),
  ...(attachmentIds?.length && { attachmentIds }),
  ...(metadata && { metadata }),
})
