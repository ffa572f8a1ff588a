import { unavailable } from '../../protocol/errors.ts'

/** Runs `atATime` pieces of work at a time. The others wait in line; if the line is too long, the call fails. */
export function createGate({ atATime, lineMax }: { atATime: number; lineMax: number }) {
  const line: (() => void)[] = []
  let inside = 0

  return async function pass<T>(work: () => Promise<T>): Promise<T> {
    if (inside < atATime) inside += 1
    else if (line.length < lineMax) await new Promise<void>((enter) => line.push(enter))
    else throw unavailable(new Error('Too many are waiting already.'))
    try {
      return await work()
    } finally {
      const next = line.shift()
      // The next one in line takes over this slot, so `inside` stays the same.
      if (next) next()
      else inside -= 1
    }
  }
}
