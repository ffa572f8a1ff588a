import type { Anomaly } from './anomaly.ts'
import { answerOf, type Call, type History } from './history.ts'

// A void is a seq that was given out and not used in time. A call that was answered at once has used its seq. So a conversation has no more
// voids than its failed, repeated and slow calls can have left behind. If it has more, healthy writes were voided.

/** Readers wait 300 ms for a seq, and timers may be a little early. */
const patienceMs = 290
/** A call without an end may have gone on for this long. */
const ghostMs = 15_000

export type Voids = { conversationId: string; voids: number; mayBe: number }

export function voidsOf(history: History): Voids[] {
  const attempts = new Map<string, number>()
  for (const call of history.calls) {
    const key = keyOf(call)
    if (key) attempts.set(key, (attempts.get(key) ?? 0) + 1)
  }
  const mayBe = new Map<string, number>()
  const add = (conversationId: string, left: number) =>
    mayBe.set(conversationId, (mayBe.get(conversationId) ?? 0) + left)
  for (const call of history.calls) add(call.ask.conversationId, leftBehind(call, attempts.get(keyOf(call) ?? '') ?? 1))
  for (const [conversationId, left] of leftByRuntimes(history)) add(conversationId, left)
  return history.tables.map(({ conversationId, rows }) => ({
    conversationId,
    voids: rows.filter(({ kind }) => kind === 'void').length,
    mayBe: mayBe.get(conversationId) ?? 0,
  }))
}

/** Readers of the feed void whatever was announced, given back and wanted by nobody since. No client knows of that. */
export const checkVoids = (history: History): Anomaly[] =>
  (history.feed ? [] : voidsOf(history)).flatMap(({ conversationId, voids, mayBe }): Anomaly[] => {
    if (voids <= mayBe) return []
    const text = `${voids} numbers were voided, but failed, repeated and slow calls can have left ${mayBe} at most`
    return [{ promise: 'voids', text, conversationId }]
  })

/**
 * Returns how many seqs this call may have left: one if it was not a plain success, and one more for each time a reader may have stopped
 * waiting.
 */
function leftBehind(call: Call, attempts: number): number {
  if (isByRuntime(call)) return 0
  if (call.kind === 'send') return slowness(call) + (isPlain(call, attempts) && !answerOf(call)?.duplicate ? 0 : 1)
  if (call.kind === 'change') return slowness(call) + (isPlain(call, attempts) ? 0 : 1)
  if (call.kind === 'group' && call.ask.request.type !== 'look') return slowness(call) + (answerOf(call) ? 0 : 1)
  return 0
}

const isByRuntime = (call: Call): boolean => call.kind === 'send' && call.ask.via === 'runtime'

/**
 * The client runtime accepts messages, and sends those of a conversation one after the other, as often as it takes. Its attempts are not known, but while it has
 * something to send there is one at a time.
 */
function* leftByRuntimes({ calls }: History): Generator<[string, number]> {
  const busyUntil = new Map<string, number>()
  for (const call of calls.filter(isByRuntime)) {
    const { conversationId } = call.ask
    const key = `${call.client} ${conversationId}`
    const toMs = call.endedAtMs ?? call.askedAtMs + ghostMs
    const fromMs = Math.max(call.askedAtMs, busyUntil.get(key) ?? 0)
    busyUntil.set(key, Math.max(toMs, fromMs))
    yield [conversationId, Math.max(0, Math.floor((toMs - fromMs) / patienceMs))]
  }
}

const isPlain = (call: Call, attempts: number): boolean => answerOf<unknown>(call) !== undefined && attempts === 1

const slowness = ({ askedAtMs, endedAtMs = askedAtMs + ghostMs }: Call): number =>
  Math.floor((endedAtMs - askedAtMs) / patienceMs)

const keyOf = (call: Call): string | undefined =>
  call.kind === 'send' || call.kind === 'change' ? `${call.userId} ${call.ask.clientMessageId}` : undefined
