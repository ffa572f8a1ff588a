import { createHash } from 'node:crypto'
import type { Conversation } from '../../ports/conversations.ts'
import type { LogRow } from '../../ports/log.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ConversationId } from '../../protocol/ids.ts'
import type { Access } from '../conversations/access.ts'
import type { Log } from '../log/log.ts'
import type { Attachments } from '../media/attachments.ts'
import type { Held, TimedWork } from '../tasks/timed-work.ts'

// Lets messages go that are older than their conversation keeps them: raises the floor, then empties the cells up to it, and looks again when the next
// message will be too old. docs/protocol.md, "Retention", has the interleavings, and what a crash leaves.

const rowsAtATime = 100
const emptiedAtATime = 10
const dayMs = 86_400_000
const hourMs = 3_600_000

type Stores = 'messages' | 'claims' | 'conversations' | 'timers'
type Needs = Pick<Ports, Stores | 'clock'> & {
  access: Access
  log: Log
  removeFiles: Attachments['remove']
  observer: Observer
}

export function createRetention(needs: Needs) {
  const { messages, claims, conversations, timers, clock, access, log, removeFiles, observer } = needs

  /** Puts the row and then the timer: a caller that is not answered repeats both. Without `days`, a timer that is there ends by itself. */
  async function set(id: ConversationId, days: number | undefined): Promise<void> {
    await conversations.setRetention(id, days)
    access.forget(id)
    if (days !== undefined) await timers.set({ kind: 'retention', subject: id, dueMs: clock.now() })
  }

  const work: TimedWork = async ({ subject }, held) => {
    const id = subject as ConversationId
    const conversation = await read(id)
    if (!conversation) return undefined
    const { days } = conversation.retention ?? {}
    const next = days === undefined ? undefined : await raise(conversation, days, held)
    await emptyBelow(id, held)
    return next
  }

  /** Raises the floor to the last message or change in front of the first that is not too old. Returns when to look again. */
  async function raise({ id, retention }: Conversation, days: number, held: Held): Promise<number> {
    const keptMs = days * dayMs
    let at = retention?.floorSeq ?? 0
    let floorSeq = at
    let oldestMs: number | undefined
    while (oldestMs === undefined) {
      held.assert()
      const rows = await log.above(id, at, rowsAtATime)
      for (const row of rows) {
        // History that was brought along from elsewhere is often older than its group, so the time of a group change says nothing.
        if (row.kind === 'void' || row.kind === 'group') continue
        if (row.sentAtMs > clock.now() - keptMs) {
          oldestMs = row.sentAtMs
          break
        }
        floorSeq = row.seq
      }
      const last = rows.at(-1)
      if (!last) break
      at = last.seq
    }
    if (floorSeq > (retention?.floorSeq ?? 0)) await conversations.raiseFloor(id, floorSeq, days)
    access.forget(id)
    return slotAfter(id, (oldestMs ?? clock.now()) + keptMs)
  }

  /** The floor as it is now: another node may have raised it, or days were set that do not let it rise. */
  async function emptyBelow(id: ConversationId, held: Held): Promise<void> {
    const { floorSeq = 0, emptiedSeq = 0 } = (await read(id))?.retention ?? {}
    const firstSeq = emptiedSeq === 0 ? (await log.firstEntry(id))?.seq : undefined
    let at = emptiedSeq
    while (at < floorSeq) {
      const rows = (await log.above(id, at, rowsAtATime)).filter(({ seq }) => seq <= floorSeq)
      for (let i = 0; i < rows.length; i += emptiedAtATime) {
        held.assert()
        const some = rows.slice(i, i + emptiedAtATime)
        await Promise.all(some.map((row) => empty(row, row.seq === floorSeq || row.seq === firstSeq)))
        observer.emptied(some.filter(({ kind }) => kind === 'message' || kind === 'change').length)
      }
      at = rows.at(-1)?.seq ?? floorSeq
      // The cell at the floor becomes a void when the floor is higher.
      await conversations.noteEmptied(id, Math.min(at, floorSeq - 1))
    }
  }

  /** Empties a cell. The claim goes first, as nothing leads to it afterwards. The first entry, and the one at the floor, stay entries. */
  async function empty(row: LogRow, isEntry: boolean): Promise<void> {
    if (row.kind === 'void' || row.kind === 'group') return
    await claims.remove(row.senderId, row.clientMessageId)
    if (row.kind === 'message') await removeFiles(row.attachments)
    await messages.empty(row, isEntry ? 'entry' : 'void')
  }

  const daysOf = async (id: ConversationId): Promise<number | undefined> => (await read(id))?.retention?.days

  const read = async (id: ConversationId): Promise<Conversation | undefined> => (await conversations.getMany([id]))[0]

  return { set, daysOf, work }
}

/** Returns the next full hour, shifted by the conversation. So not all look at once, and whoever looks twice sets the same timer. */
function slotAfter(id: ConversationId, atMs: number): number {
  const shiftMs = createHash('sha256').update(id).digest().readUInt32BE() % hourMs
  return Math.ceil((atMs - shiftMs) / hourMs) * hourMs + shiftMs
}
