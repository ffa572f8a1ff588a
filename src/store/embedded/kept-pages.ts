import { LRUCache } from 'lru-cache'
import type { LogRow } from '../../ports/log.ts'
import type { ConversationId } from '../../protocol/ids.ts'

// This process alone writes the log, so a page that it has read is true until it writes to that conversation again. All who ask for it get the
// same array, and what is made of it (the page, its text) is made once.
//
// A page is kept when it is asked for the second time. Most chats are opened once, and keeping what nobody asks for again costs more than reading.

/** About 10 MB, counted in rows with a short text. A row with a long one, or with reactions, counts as so many. */
const rowsMax = 20_000
const textLength = 256
const pagesMax = 4
/** How many pages that were asked for once are remembered, by their names. */
const onceMax = 500

type Page = { name: string; rows: readonly LogRow[]; size: number }

export function createKeptPages() {
  const kept = new LRUCache<ConversationId, Page[]>({
    maxSize: rowsMax,
    sizeCalculation: (pages) => pages.reduce((sum, { size }) => sum + size, 0),
  })

  const once = new Set<string>()

  /** Whether this page was asked for before, and not long ago. */
  function isAskedAgain(conversationId: ConversationId, name: string): boolean {
    const page = `${conversationId} ${name}`
    if (once.delete(page)) return true
    once.add(page)
    if (once.size > onceMax) for (const oldest of once) return !once.delete(oldest)
    return false
  }

  return {
    /** Returns the page of this name, and reads it if it is not kept. */
    page(conversationId: ConversationId, name: string, read: () => LogRow[]): readonly LogRow[] {
      const pages = kept.get(conversationId)
      const known = pages?.find((page) => page.name === name)
      if (known) return known.rows
      const rows = read()
      if (!isAskedAgain(conversationId, name)) return rows
      const size = rows.reduce((sum, row) => sum + sizeOf(row), 1)
      kept.set(conversationId, [{ name, rows, size }, ...(pages ?? []).slice(0, pagesMax - 1)])
      return rows
    },

    /** Must be called when a write to this log is seen by readers, and before it is answered. */
    forget(conversationId: ConversationId): void {
      kept.delete(conversationId)
    },
  }
}

function sizeOf(row: LogRow): number {
  switch (row.kind) {
    case 'message': {
      const { body, metadata = '', reactions = [] } = row
      return 1 + Math.floor((body.length + metadata.length) / textLength) + reactions.length
    }
    case 'change':
      return 1 + (row.alteration.type === 'edit' ? Math.floor(row.alteration.body.length / textLength) : 0)
    case 'group':
      return 1 + row.added.length + row.removed.length + row.roles.length
    case 'void':
      return 1
  }
}
