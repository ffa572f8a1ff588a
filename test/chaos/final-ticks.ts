import { setTimeout as sleep } from 'node:timers/promises'
import { checkReceipts } from './checks/check-runtime.ts'
import { createFinalLog } from './checks/final-log.ts'
import type { FinalTable, History } from './checks/history.ts'
import { createTenures } from './checks/tenures.ts'

type FinalTicksOptions = {
  history: History
  tables: FinalTable[]
  /** Asks for the boundaries in every conversation. The answers go into the history. */
  ask: () => Promise<void>
  nowMs: () => number
  giveUpAtMs: number
}

/**
 * Asks until the answers show everything that the applications were told and have read. The client runtime collects receipts for a moment, and
 * repeats what was not answered. What an application has read in the moment before it is closed is kept for its next life, and there is none.
 */
export async function askFinalTicks({ history, tables, ask, nowMs, giveUpAtMs }: FinalTicksOptions): Promise<void> {
  const seenInTheEnd = { ...history, tables }
  const log = createFinalLog(seenInTheEnd)
  const tenures = createTenures(seenInTheEnd)
  for (;;) {
    await ask()
    if (checkReceipts(history, log, tenures).length === 0 || nowMs() >= giveUpAtMs) return
    await sleep(50)
  }
}
