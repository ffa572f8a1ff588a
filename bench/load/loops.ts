import type { LoadConnection } from './http.ts'
import { mustRetry } from './troubles.ts'
import type { LoadSocket } from './web-socket.ts'

// Closed loops: the next is asked when the last is answered, until the time is up and there were enough. They return how many were
// answered.

/** How long and how often a loop runs at least. Cold code costs a multiple, and on a busy machine the time alone would not warm it. */
export type Least = { ms: number; count: number }

/** Sends one request at a time over each connection: always the same, or the next for the connection of this index. */
export async function overHttp(
  connections: readonly LoadConnection[],
  request: Buffer | ((index: number) => Buffer),
  least: Least,
): Promise<number> {
  const endAtMs = performance.now() + least.ms
  let count = 0
  const loop = async (connection: LoadConnection, index: number) => {
    while (performance.now() < endAtMs || count < least.count) {
      const answer = await connection.ask(Buffer.isBuffer(request) ? request : request(index))
      if (count === 0) mustRetry(String(answer))
      count += 1
    }
  }
  await Promise.all(connections.map(loop))
  return count
}

/** Each frame is sent again when `answerOf` names it. The frames of a socket are under way at the same time. */
export async function overSockets(
  sockets: readonly LoadSocket[],
  frames: readonly Buffer[],
  answerOf: (payload: Buffer) => number | undefined,
  least: Least,
): Promise<number> {
  const endAtMs = performance.now() + least.ms
  let count = 0
  const loop = (socket: LoadSocket) =>
    new Promise<void>((resolve) => {
      let under = frames.length
      socket.onText = (payload) => {
        const index = answerOf(payload)
        if (index === undefined) return
        count += 1
        const frame = frames[index]
        if (frame && (performance.now() < endAtMs || count < least.count)) return socket.send(frame)
        under -= 1
        if (under === 0) resolve()
      }
      for (const frame of frames) socket.send(frame)
    })
  await Promise.all(sockets.map(loop))
  return count
}

/** Operations are numbered `0`, `1`, …; one is over when it is complete, or was refused. */
export function completedOf(payload: Buffer): number | undefined {
  const isError = payload.includes('"type":"error"')
  // `complete` is short. Everything else is a result, or an error.
  if (payload.length > 60 && !isError) {
    if (payload.includes('"errors"')) mustRetry(String(payload))
    return undefined
  }
  const text = payload.toString('latin1')
  if (isError) mustRetry(text)
  else if (!text.includes('"complete"')) return undefined
  const [, index] = /"id":"(\d+)"/.exec(text) ?? []
  return index === undefined ? undefined : Number(index)
}
