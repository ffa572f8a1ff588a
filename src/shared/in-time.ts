import { systemTimers } from './timers.ts'
import { within } from './within.ts'

/** Returns what `work` answers, or fails once the time is over. `work` then has to end what it began: its signal is aborted. */
export async function inTime<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController()
  return within(systemTimers, timeoutMs, work(ending.signal), async () => {
    const error = new Error(`no answer within ${timeoutMs} ms`)
    ending.abort(error)
    // Work that reacts to the signal has the last word: it may have seen the status of an answer that never ended.
    await new Promise(setImmediate)
    return error
  })
}
