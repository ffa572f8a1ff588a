import { createValue, type Observable } from '../shared/observable.ts'

export type Watched = ReturnType<typeof createWatched>

/** Counts the watchers of each conversation. */
export function createWatched() {
  const watchers = new Map<string, number>()
  const ids = createValue<readonly string[]>([])

  function change(conversationId: string, by: number): void {
    const count = (watchers.get(conversationId) ?? 0) + by
    if (count > 0) watchers.set(conversationId, count)
    else watchers.delete(conversationId)
    if (watchers.size !== ids.get().length) ids.set([...watchers.keys()])
  }

  return {
    ids: ids as Observable<readonly string[]>,
    watch(conversationId: string): () => void {
      change(conversationId, 1)
      let watching = true
      return () => {
        if (watching) change(conversationId, -1)
        watching = false
      }
    },
  }
}
