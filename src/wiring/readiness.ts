// Whether the node can serve, for /readyz, the metrics and the log. A check proves that something can be written, so it costs something: one at a
// time runs of each, for all who ask meanwhile, and the answer of one that costs money is good for a while. A call that fails puts that in doubt, so
// that the next who asks has a new one.

import type { Clock } from '../ports/clock.ts'
import { timersOf } from '../shared/timers.ts'
import { within } from '../shared/within.ts'

/** `reason`: why it failed, in a word. */
export type Checked = { isFit: boolean; reason?: string }

type Check = {
  /** Rejects if the node cannot serve. */
  run: () => Promise<unknown>
  reasonOf: (error: unknown) => string
  /** For so long its answer is good; without it, for nobody but those who asked while it ran. */
  freshMs?: number
}

type Options<Name extends string> = {
  checks: Readonly<Record<Name, Check>>
  clock: Clock
  /** Is told when a check has another outcome than the last time. */
  onChange: (name: Name, checked: Checked, error?: unknown) => void
}

/** The answer has to be there before a balancer gives up. */
const runWithinMs = 1500

export function createReadiness<Name extends string>({ checks, clock, onChange }: Options<Name>) {
  const last = new Map<Name, Checked & { atMs: number }>()
  const running = new Map<Name, Promise<Checked>>()

  async function run(name: Name): Promise<Checked> {
    const { run: work, reasonOf } = checks[name]
    const beganAtMs = clock.monotonic()
    let error: unknown
    const checked = await within(timersOf(clock), runWithinMs, work(), () => new CheckTimeout()).then(
      (): Checked => ({ isFit: true }),
      (failure): Checked => {
        error = failure
        return { isFit: false, reason: failure instanceof CheckTimeout ? 'timeout' : reasonOf(failure) }
      },
    )
    const before = last.get(name)
    last.set(name, { ...checked, atMs: beganAtMs })
    if ((before?.isFit ?? true) !== checked.isFit) onChange(name, checked, error)
    return checked
  }

  /** Runs the check, or joins the one that is running. */
  function check(name: Name): Promise<Checked> {
    const joined = running.get(name)
    if (joined !== undefined) return joined
    const begun = run(name).finally(() => running.delete(name))
    running.set(name, begun)
    return begun
  }

  return {
    check,
    /** Answers with what was found, if that is fresh enough, or checks. */
    async ask(name: Name): Promise<Checked> {
      const known = last.get(name)
      return known && clock.monotonic() - known.atMs < (checks[name].freshMs ?? 0) ? known : check(name)
    },
    /** A call has failed: what was found before may not be true any more. */
    doubt(name: Name): void {
      const known = last.get(name)
      if (known?.isFit) last.set(name, { ...known, atMs: Number.NEGATIVE_INFINITY })
    },
    /** What was found last, however long ago; undefined before the first time. */
    last: (name: Name): boolean | undefined => last.get(name)?.isFit,
  }
}

class CheckTimeout extends Error {
  constructor() {
    super('The check took too long.')
  }
}
