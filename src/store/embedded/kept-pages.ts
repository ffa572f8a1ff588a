import { LRUCache } from 'lru-cache'
import type { LogRow } from '../../ports/log.ts'
import type { ConversationId } from '../../protocol/ids.ts'

// This process alone writes the log, so a page that it has read is true until it writes to that conversation again. All who ask for it get the
// same array, and what is made of it (the page, its text) is made once.

/** About 10 MB. */
const rowsMax = 20_000
const pagesMax = 4

type Page = { name: string; rows: readonly LogRow[] }

export function createKeptPages() {
  const kept = new LRUCache<ConversationId, Page[]>({
    maxSize: rowsMax,
    sizeCalculation: (pages) => pages.reduce((sum, { rows }) => sum + rows.length, pages.length),
  })

  return {
    /** Returns the page of this name, and reads it if it is not kept. */
    page(conversationId: ConversationId, name: string, read: () => LogRow[]): readonly LogRow[] {
      const pages = kept.get(conversationId)
      const known = pages?.find((page) => page.name === name)
      if (known) return known.rows
      const rows = read()
      kept.set(conversationId, [{ name, rows }, ...(pages ?? []).slice(0, pagesMax - 1)])
      return rows
    },

    /** Must be called when a write to this log is seen by readers, and before it is answered. */
    forget(conversationId: ConversationId): void {
      kept.delete(conversationId)
    },
  }
}
