import type { LogRow } from '../../ports/log.ts'
import type { ConversationId } from '../../protocol/ids.ts'

/** `beyond` are rows above a hole that was not waited for yet. */
export type LogPage = { rows: readonly LogRow[]; beyond?: readonly LogRow[]; end: boolean }

type Outcome = { id: ConversationId; page: LogPage } | { id: ConversationId; error: unknown }

/**
 * Reads several conversations at once, page by page: the order within each is kept, and no more is read ahead than one
 * page of each of the conversations that are being read.
 */
export async function* readTogether(
  ids: Iterable<ConversationId>,
  readPage: (id: ConversationId) => Promise<LogPage>,
  options = { atATime: 8 },
): AsyncGenerator<LogRow> {
  const waiting = [...ids]
  const reading = new Map<ConversationId, Promise<Outcome>>()
  const read = (id: ConversationId) =>
    reading.set(
      id,
      readPage(id).then(
        (page) => ({ id, page }),
        (error: unknown) => ({ id, error }),
      ),
    )
  for (;;) {
    for (const id of waiting.splice(0, options.atATime - reading.size)) read(id)
    if (reading.size === 0) return
    const outcome = await Promise.race(reading.values())
    reading.delete(outcome.id)
    if ('error' in outcome) throw outcome.error
    yield* outcome.page.rows
    if (!outcome.page.end) read(outcome.id)
  }
}
