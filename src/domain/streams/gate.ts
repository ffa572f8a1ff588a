import { unavailable } from '../../protocol/errors.ts'

/** Lets so many in at a time; the others wait in line, and who finds the line too long is turned away. */
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
      // Whoever is next takes over the place.
      if (next) next()
      else inside -= 1
    }
  }
}
