import { AckDocument, MarkReadDocument, type TicksFieldsFragment } from '../generated/graphql.ts'
import type { Ask } from '../link/link.ts'
import { backoffMs, createSleeper } from '../shared/backoff.ts'
import { asClientError } from '../shared/client-error.ts'
import type { PersistedState } from '../shared/persisted-state.ts'

// What this user tells the others: delivered, by itself; read, when the application says so. Only the highest of each counts,
// so whatever comes together goes out together: one call per conversation. A read says delivered, too.

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
  const wished = new Map<string, Boundary>()
  const told = new Map<string, Boundary>()
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
    [...wished.keys()].filter((id) => {
      const [wish, known] = [at(wished, id), at(told, id)]
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
      const results = await Promise.all(batch.map(tell))
      if (closed || results.every(Boolean)) continue
      failures += 1
      await sleeper.sleep(backoffMs(failures, random))
    }
  }

  /** Whether it is settled. What is refused for good is not tried again. */
  async function tell(conversationId: string): Promise<boolean> {
    const { delivered, read } = at(wished, conversationId)
    try {
      if (read > at(told, conversationId).read) {
        const { markRead } = await ask(MarkReadDocument, { input: { conversationId, seq: read } })
        raise(told, conversationId, { delivered: read, read })
        confirm(conversationId, markRead.ticks)
      }
    } catch (error) {
      if (!isFinal(error)) return false
      withdraw(conversationId, { read })
    }
    try {
      if (delivered > at(told, conversationId).delivered) {
        const { ack } = await ask(AckDocument, { input: { conversationId, seq: delivered } })
        raise(told, conversationId, { delivered })
        confirm(conversationId, ack.ticks)
      }
    } catch (error) {
      if (!isFinal(error)) return false
      withdraw(conversationId, { delivered })
    }
    return true
  }

  /** What has been wished for since stands. */
  function withdraw(conversationId: string, refused: Partial<Boundary>): void {
    const [wish, known] = [at(wished, conversationId), at(told, conversationId)]
    const read = wish.read === refused.read ? known.read : wish.read
    const delivered = wish.delivered === refused.delivered ? known.delivered : wish.delivered
    wished.set(conversationId, { delivered, read })
    if (read <= known.read) persistedState.set(readKey(conversationId), undefined)
  }

  function confirm(conversationId: string, ticks: TicksFieldsFragment): void {
    raise(told, conversationId, { delivered: ticks.lastDeliveredSeq, read: ticks.lastReadSeq })
    if (at(told, conversationId).read >= at(wished, conversationId).read)
      persistedState.set(readKey(conversationId), undefined)
  }

  return {
    delivered(conversationId: string, seq: number): void {
      raise(wished, conversationId, { delivered: seq })
      schedule()
    },
    read(conversationId: string, seq: number): void {
      if (seq <= at(wished, conversationId).read) return
      raise(wished, conversationId, { read: seq })
      persistedState.set(readKey(conversationId), seq)
      schedule()
    },
    /** How far the user has read, whether the server knows it yet or not. */
    readUpTo: (conversationId: string): number =>
      Math.max(at(wished, conversationId).read, at(told, conversationId).read),
    /** The server's word for it, such as after another device of the user. */
    known(conversationId: string, ticks: TicksFieldsFragment): void {
      raise(told, conversationId, { delivered: ticks.lastDeliveredSeq, read: ticks.lastReadSeq })
    },
    restore(entries: Iterable<[string, unknown]>): void {
      for (const [key, value] of entries) {
        const [, conversationId] = /^read:(.*)$/.exec(key) ?? []
        if (conversationId) raise(wished, conversationId, { read: Number(value) })
      }
      schedule()
    },
    /** There is a way to the server again. */
    wake: sleeper.wake,
    reset(): void {
      wished.clear()
      told.clear()
    },
    close(): void {
      closed = true
      sleeper.wake()
    },
  }
}

/** A token that is refused says nothing about what was to be told. */
function isFinal(error: unknown): boolean {
  const { code, retryable } = asClientError(error)
  return !retryable && code !== 'UNAUTHENTICATED'
}
