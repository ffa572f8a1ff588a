import { AckDocument, MarkReadDocument, type TicksFieldsFragment } from '../generated/graphql.ts'
import type { Ask } from '../link/link.ts'
import { backoffMs, createSleeper } from '../shared/backoff.ts'
import { asClientError, isFinal } from '../shared/client-error.ts'
import type { PersistedState } from '../shared/persisted-state.ts'

// Receipts tell the others what was delivered, and what was read when the application says so. Only the highest seq of each counts, so
// receipts of one conversation are batched into one call. A read counts as delivered too.
//
// What was read is kept until the server has confirmed it. What was delivered needs no place of its own: everything up to the kept position was. So
// where the server shows less than a position of the life before, that position is acked; it may have ended before it could do so.

const batchMs = 200
const atATime = 8
const readKey = (conversationId: string): string => `read:${conversationId}`

type Boundary = { delivered: number; read: number }

type ReceiptsOptions = {
  ask: Ask
  persistedState: PersistedState
  random: () => number
}
export type Receipts = ReturnType<typeof createReceipts>

export function createReceipts({ ask, persistedState, random }: ReceiptsOptions) {
  const wanted = new Map<string, Boundary>()
  const confirmed = new Map<string, Boundary>()
  /** The storage has a read of these conversations. */
  const kept = new Set<string>()
  /** These positions were kept by the life before, which may not have acked them. */
  const unsure = new Map<string, number>()
  const sleeper = createSleeper()
  let running: Promise<void> | undefined
  let closed = false

  const at = (map: Map<string, Boundary>, id: string): Boundary => map.get(id) ?? { delivered: 0, read: 0 }

  function raise(map: Map<string, Boundary>, id: string, { delivered = 0, read = 0 }: Partial<Boundary>): void {
    const known = at(map, id)
    const higher = { delivered: Math.max(known.delivered, delivered), read: Math.max(known.read, read) }
    map.set(id, higher)
  }

  const outstanding = (): string[] =>
    [...wanted.keys()].filter((id) => {
      const [wish, known] = [at(wanted, id), at(confirmed, id)]
      return wish.read > known.read || wish.delivered > known.delivered
    })

  function schedule(): void {
    if (closed || running || outstanding().length === 0) return
    running = work().finally(() => {
      running = undefined
      schedule()
    })
  }

  async function work(): Promise<void> {
    await sleeper.sleep(batchMs)
    let failures = 0
    while (!closed) {
      const batch = outstanding().slice(0, atATime)
      if (batch.length === 0) return
      const results = await Promise.all(batch.map(send))
      if (closed || results.every(Boolean)) continue
      failures += 1
      await sleeper.sleep(backoffMs(failures, random))
    }
  }

  /** Returns whether it is done. A receipt that is refused for good is not sent again. */
  async function send(conversationId: string): Promise<boolean> {
    const { delivered, read } = at(wanted, conversationId)
    try {
      if (read > at(confirmed, conversationId).read) {
        const { markRead } = await ask(MarkReadDocument, { input: { conversationId, seq: read } })
        confirm(conversationId, { delivered: read, read })
        known(conversationId, markRead.ticks)
      }
    } catch (error) {
      if (!isFinal(asClientError(error))) return false
      withdraw(conversationId, { read })
    }
    try {
      if (delivered > at(confirmed, conversationId).delivered) {
        const { ack } = await ask(AckDocument, { input: { conversationId, seq: delivered } })
        confirm(conversationId, { delivered })
        known(conversationId, ack.ticks)
      }
    } catch (error) {
      if (!isFinal(asClientError(error))) return false
      withdraw(conversationId, { delivered })
    }
    return true
  }

  /** Takes back a refused receipt. A higher one that was wanted since stays. */
  function withdraw(conversationId: string, refused: Partial<Boundary>): void {
    const [wish, reached] = [at(wanted, conversationId), at(confirmed, conversationId)]
    const read = wish.read === refused.read ? reached.read : wish.read
    const delivered = wish.delivered === refused.delivered ? reached.delivered : wish.delivered
    wanted.set(conversationId, { delivered, read })
    releaseConfirmed(conversationId)
  }

  function confirm(conversationId: string, boundary: Partial<Boundary>): void {
    raise(confirmed, conversationId, boundary)
    releaseConfirmed(conversationId)
  }

  /** Applies boundaries of the server, which may be those of another device of the user. */
  function known(conversationId: string, { lastDeliveredSeq, lastReadSeq }: TicksFieldsFragment): void {
    confirm(conversationId, { delivered: lastDeliveredSeq, read: lastReadSeq })
    const position = unsure.get(conversationId)
    unsure.delete(conversationId)
    if (position !== undefined) delivered(conversationId, position)
  }

  function delivered(conversationId: string, seq: number): void {
    raise(wanted, conversationId, { delivered: seq })
    schedule()
  }

  function releaseConfirmed(conversationId: string): void {
    if (at(wanted, conversationId).read <= at(confirmed, conversationId).read) release(conversationId)
  }

  function release(conversationId: string): void {
    if (kept.delete(conversationId)) persistedState.set(readKey(conversationId), undefined)
  }

  /** Returns how far the user has read, whether the server knows it yet or not. */
  const readUpTo = (conversationId: string): number =>
    Math.max(at(wanted, conversationId).read, at(confirmed, conversationId).read)

  return {
    delivered,
    read(conversationId: string, seq: number): void {
      if (seq <= readUpTo(conversationId)) return
      raise(wanted, conversationId, { read: seq })
      kept.add(conversationId)
      persistedState.set(readKey(conversationId), seq)
      schedule()
    },
    readUpTo,
    known,
    restore(entries: Iterable<[string, unknown]>): void {
      for (const [key, value] of entries) {
        const [, kind, conversationId] = /^(read|position):(.*)$/.exec(key) ?? []
        if (!conversationId) continue
        if (kind === 'position') unsure.set(conversationId, Number(value))
        else {
          raise(wanted, conversationId, { read: Number(value) })
          kept.add(conversationId)
        }
      }
      schedule()
    },
    /** Ends the pause, because there is a link again. */
    wake: sleeper.wake,
    reset(): void {
      for (const conversationId of kept) release(conversationId)
      wanted.clear()
      confirmed.clear()
      unsure.clear()
    },
    close(): void {
      closed = true
      sleeper.wake()
    },
  }
}
