import type { Ports } from '../../ports/ports.ts'
import type { Device } from '../../ports/push.ts'
import type { RefusedViewers, Restriction } from '../../ports/restrictions.ts'
import type { UserId } from '../../protocol/ids.ts'
import type { Viewer } from '../../protocol/viewer.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'

// The copy that a node holds of all bans and revoked tokens, so that no request reads them.
//
// A writer writes the row, raises the version, and publishes both. Whoever hears of it reads the row, and so it does not matter in which order
// events come. A node knows which versions it has heard of: if the table has another one, an event was lost, and the node reads everything again.
// docs/protocol.md has the interleavings, "Bans and revoked tokens".

/** So long at most goes an event unnoticed that was lost. */
export const checkEverySeconds = 5
/** A writer that died between the row and the version is noticed by this alone. */
const readAllEveryMs = 10 * 60_000
const pageSize = 1000

type Held = { bannedUntilMs: Map<UserId, number>; issuedBeforeMs: Map<UserId, number> }
type Heard = { userId: UserId; version: number }

type Needs = Pick<Ports, 'restrictions' | 'events' | 'clock'> & {
  /** Called with what kept the node from hearing or reading. It goes on with what it has. */
  onTrouble: (error: unknown) => void
}

export type HeldRestrictions = ReturnType<typeof createHeldRestrictions>

export function createHeldRestrictions({ restrictions, events, clock, onTrouble }: Needs) {
  const listeners = new Set<() => void>()
  let held: Held = { bannedUntilMs: new Map(), issuedBeforeMs: new Map() }
  /** All changes up to this version are held. */
  let version = 0
  /** Versions above it that were heard of before one below them. */
  const ahead = new Set<number>()
  let readAllAtMs = Number.NEGATIVE_INFINITY
  let heard: Heard[] = []
  let subscription: Promise<{ close(): Promise<void> }> | undefined
  let checking: Promise<void> | undefined
  let reading: Promise<unknown> = Promise.resolve()

  /** Of two reads of one row the later one counts, so there is one at a time. */
  function inTurn(read: () => Promise<void>): Promise<void> {
    const done = reading.then(read)
    reading = done.catch(() => undefined)
    return done
  }

  async function readHeard(): Promise<void> {
    const all = heard
    heard = []
    if (all.length === 0) return
    const userIds = [...new Set(all.map(({ userId }) => userId))]
    const found = await retryWhileUnavailable(clock, () => restrictions.getMany(userIds))
    for (const userId of userIds) {
      held.bannedUntilMs.delete(userId)
      held.issuedBeforeMs.delete(userId)
    }
    for (const each of found) hold(held, each)
    for (const each of all) ahead.add(each.version)
    reached(version)
  }

  async function readAll(): Promise<void> {
    // What is written after the version was read may be missed below, and has a higher version.
    const now = await restrictions.version()
    const fresh: Held = { bannedUntilMs: new Map(), issuedBeforeMs: new Map() }
    let page: Restriction[] = []
    do {
      page = await restrictions.page(page.at(-1), pageSize)
      for (const each of page) hold(fresh, each)
    } while (page.length === pageSize)
    held = fresh
    readAllAtMs = clock.monotonic()
    reached(now)
  }

  function hold({ bannedUntilMs, issuedBeforeMs }: Held, each: Restriction): void {
    if (each.kind === 'revocation') issuedBeforeMs.set(each.userId, each.issuedBeforeMs)
    else bannedUntilMs.set(each.userId, each.untilMs ?? Number.POSITIVE_INFINITY)
  }

  function reached(at: number): void {
    version = at
    for (const each of ahead) if (each <= version) ahead.delete(each)
    while (ahead.delete(version + 1)) version += 1
    for (const listener of listeners) listener()
  }

  /** Returns when this node refuses what it has heard of. */
  function hear(userId: UserId, at: number): Promise<void> {
    heard.push({ userId, version: at })
    return inTurn(readHeard)
  }

  function subscribe(): Promise<unknown> {
    subscription ??= events
      .subscribeRestrictions({
        event: (event) => void (event.type === 'restriction' && hear(event.userId, event.version).catch(onTrouble)),
        gap: () => void check(),
      })
      .catch((error) => {
        subscription = undefined
        throw error
      })
    return subscription
  }

  async function compare(): Promise<void> {
    const isDue = clock.monotonic() - readAllAtMs >= readAllEveryMs
    if (isDue || (await restrictions.version()) !== version) await readAll()
  }

  /** Must be called every `checkEverySeconds`. It never rejects: a node without Redis or its tables goes on with what it has. */
  function check(): Promise<void> {
    checking ??= Promise.allSettled([subscribe(), inTurn(compare)])
      .then((done) => {
        for (const each of done) if (each.status === 'rejected') onTrouble(each.reason)
      })
      .finally(() => {
        checking = undefined
      })
    return checking
  }

  /** Rejects if the tables do not answer: a node that does not know who is banned must not serve. Redis may be away. */
  async function open(): Promise<void> {
    await subscribe().catch(onTrouble)
    await retryWhileUnavailable(clock, () => inTurn(readAll))
  }

  async function close(): Promise<void> {
    const opened = await subscription?.catch(() => undefined)
    await opened?.close()
  }

  const isBanned = (userId: UserId): boolean => {
    const untilMs = held.bannedUntilMs.get(userId)
    return untilMs !== undefined && clock.now() < untilMs
  }

  /** Whether this device may show what is said. One that was registered with a token that was revoked has to be registered again. */
  function mayNotify({ userId, registeredAtMs }: Pick<Device, 'userId' | 'registeredAtMs'>): boolean {
    return !isBanned(userId) && registeredAtMs >= (held.issuedBeforeMs.get(userId) ?? 0)
  }

  const refused: RefusedViewers = {
    refuses({ userId, issuedAtMs }: Viewer) {
      if (isBanned(userId)) return true
      const beforeMs = held.issuedBeforeMs.get(userId)
      return beforeMs !== undefined && (issuedAtMs === undefined || issuedAtMs < beforeMs)
    },
    onChange: (listener) => void listeners.add(listener),
  }

  return { ...refused, isBanned, mayNotify, hear, check, open, close }
}
