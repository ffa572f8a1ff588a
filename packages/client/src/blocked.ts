import type { Chat } from './chat.ts'
import { BlockedUsersDocument, type BlockedUsersQuery } from './generated/graphql.ts'
import { createListeners, type Observable } from './shared/observable.ts'
import { perChat } from './shared/per-chat.ts'

// Whom the user has blocked, on any of their devices. Nothing is pushed about it, so it is read with each link while it has a subscriber, and
// after each change that is made here.

const pageSize = 100

export type BlockedUser = BlockedUsersQuery['blockedUsers']['edges'][number]['node']

export const blockedOf = perChat(createBlocked)

function createBlocked(chat: Chat): Observable<readonly BlockedUser[]> & { read(): Promise<void> } {
  const listeners = createListeners<[]>()
  let users: readonly BlockedUser[] = []
  let reads = 0
  let stop: () => void = () => undefined

  /** Of several reads at once, the one that began last counts. If it fails, the next link reads again. */
  async function read(): Promise<void> {
    reads += 1
    const mine = reads
    const found: BlockedUser[] = []
    let after: string | null = null
    for (;;) {
      const { blockedUsers }: BlockedUsersQuery = await chat.ask(BlockedUsersDocument, { first: pageSize, after })
      found.push(...blockedUsers.edges.map(({ node }) => node))
      after = blockedUsers.pageInfo.endCursor
      if (!blockedUsers.pageInfo.hasNextPage) break
    }
    if (mine !== reads) return
    users = found
    listeners.emit()
  }

  const readQuietly = (): void => void read().catch(() => undefined)

  return {
    read,
    get: () => users,
    subscribe(listener) {
      const remove = listeners.add(listener)
      if (listeners.size === 1) {
        stop = chat.onLink(() => {
          readQuietly()
          return () => undefined
        })
      }
      return () => {
        remove()
        if (listeners.size === 0) stop()
      }
    },
  }
}
