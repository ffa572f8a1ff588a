import { bodyProblem } from '../../protocol/text.ts'
import { type MessageFieldsFragment, type RecipientInput, SendMessageDocument } from '../generated/graphql.ts'
import type { Ask } from '../link/link.ts'
import { backoffMs } from '../shared/backoff.ts'
import { asClientError, ClientError } from '../shared/client-error.ts'
import { createValue, type Observable } from '../shared/observable.ts'
import type { PersistedState } from '../shared/persisted-state.ts'

// What the user sends, until it is stored and has come back through the inbox.
//
// A message gets its clientMessageId once, here. It is kept before its first attempt, and goes out with that id until somebody
// says that it is stored: the answer, or the message itself in the inbox. In each conversation one is on its way at a time,
// so they arrive in the order they were written. An attempt whose answer is lost may have succeeded; the next one with the same
// id then gets the same message.

/** A person, whose direct chat need not exist yet, or a conversation. */
export type Recipient = RecipientInput

export type Sending = {
  /** The message it answers. */
  replyToSeq?: number
  /** Uploads that are done; the text may then be empty. */
  attachmentIds?: string[]
}

/**
 * `waiting`: kept, and tried until it is stored. `sent`: stored; the inbox has yet to bring it. `failed`: refused for good, with
 * the server's reason.
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
  /** Two recipients with the same one share an order. */
  laneOf: (to: Recipient) => string
  /** Stored. Returns whether the inbox had it already. */
  onStored: (message: MessageFieldsFragment, to: Recipient) => boolean
}

const key = (clientMessageId: string): string => `outbox:${clientMessageId}`

export type Outbox = ReturnType<typeof createOutbox>

export function createOutbox({ ask, persistedState, random, randomId, now, laneOf, onStored }: OutboxOptions) {
  const entries = createValue<readonly Outgoing[]>([])
  const onTheirWay = new Set<string>()
  /** Attempts that wait for their time, by message. */
  const pauses = new Map<string, { timer: ReturnType<typeof setTimeout>; failures: number }>()
  /** Those that are sent, as the server has them. */
  const stored = new Map<string, MessageFieldsFragment>()
  let latestMs = 0
  /** What an earlier run has left goes first. */
  let restored = false
  let closed = false

  /** Two in one millisecond keep their order, also after a reload, and when the clock steps back. */
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

  /** The first of each lane goes, unless one of the lane is on its way or pausing. */
  function pump(): void {
    if (closed || !restored) return
    const waiting = entries.get().filter(({ state }) => state === 'waiting')
    const begun = waiting.filter(({ clientMessageId: id }) => onTheirWay.has(id) || pauses.has(id))
    const busy = new Set(begun.map(({ to }) => laneOf(to)))
    for (const outgoing of waiting) {
      const lane = laneOf(outgoing.to)
      if (busy.has(lane)) continue
      busy.add(lane)
      void attempt(outgoing, 0)
    }
  }

  async function attempt(outgoing: Outgoing, failures: number): Promise<void> {
    const { clientMessageId, to, body } = outgoing
    const input = { clientMessageId, to, body, ...only(outgoing) }
    onTheirWay.add(clientMessageId)
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
      onTheirWay.delete(clientMessageId)
      pump()
    }
  }

  function failed(outgoing: Outgoing, { code, message, retryable, retryAfterMs = 0 }: ClientError, failures: number) {
    const { clientMessageId } = outgoing
    // The inbox may have brought it in the meantime.
    if (closed || find(clientMessageId)?.state !== 'waiting') return
    if (!retryable) return put({ ...outgoing, state: 'failed', error: { code, message } })
    const again = () => {
      pauses.delete(clientMessageId)
      void attempt(outgoing, failures)
    }
    const timer = setTimeout(again, Math.max(retryAfterMs, backoffMs(failures, random)))
    pauses.set(clientMessageId, { timer, failures })
  }

  /** There is a way to the server again: nobody waits any longer. */
  function wake(): void {
    for (const clientMessageId of [...pauses.keys()]) forgetPause(clientMessageId)
    pump()
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
        ...only(sending),
        createdAtMs: after(now()),
        state: 'waiting',
      }
      put(outgoing)
      pump()
      return outgoing
    },
    retry(clientMessageId: string): void {
      const outgoing = find(clientMessageId)
      if (outgoing?.state !== 'failed') return
      const { error: _error, ...rest } = outgoing
      put({ ...rest, state: 'waiting' })
      pump()
    },
    discard(clientMessageId: string): void {
      if (find(clientMessageId)?.state === 'failed') remove(clientMessageId)
    },
    /** The inbox has brought it: there is nothing left to do. */
    arrived(clientMessageId: string): void {
      remove(clientMessageId)
      pump()
    },
    /** The conversations of what is sent and the inbox has yet to bring. */
    awaited: (): string[] => [...stored.values()].map(({ conversationId }) => conversationId),
    /** For what the inbox will not bring, because it begins above it. */
    settle(has: (message: MessageFieldsFragment) => boolean): void {
      for (const [clientMessageId, message] of [...stored]) if (has(message)) remove(clientMessageId)
    },
    wake,
    pump,
    restore(kept: Iterable<[string, unknown]>): void {
      const early = entries.get()
      const left = [...kept].filter(([name]) => name.startsWith('outbox:')).map(([, value]) => value as Outgoing)
      for (const outgoing of left) put(outgoing)
      latestMs = Math.max(0, ...left.map(({ createdAtMs }) => createdAtMs))
      for (const outgoing of early) put({ ...outgoing, createdAtMs: after(outgoing.createdAtMs) })
      restored = true
      pump()
    },
    close(): void {
      closed = true
      for (const clientMessageId of [...pauses.keys()]) forgetPause(clientMessageId)
    },
  }
}

const only = ({ replyToSeq, attachmentIds }: Sending): Sending => ({
  ...(replyToSeq !== undefined && { replyToSeq }),
  ...(attachmentIds?.length && { attachmentIds }),
})
