import type { Inbox } from './inbox.ts'

/**
 * A generator that reads from an inbox, as an iterator whose `return` takes effect at once (a bare generator would finish
 * its pending wait first), and whose `end` runs exactly once, however the stream ends, even if it was never read.
 */
export function createStream<T>(
  inbox: Inbox,
  source: AsyncGenerator<T>,
  end: () => Promise<void>,
): AsyncIterableIterator<T> {
  let ended: Promise<void> | undefined
  const finish = () => {
    ended ??= end()
    return ended
  }
  return {
    async next() {
      try {
        const result = await source.next()
        if (result.done) await finish()
        return result
      } catch (error) {
        await finish()
        throw error
      }
    },
    async return() {
      inbox.close()
      await source.return(undefined)
      await finish()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
