/** Splits what a Redis server sends into whole values, each as it came. A value that is not whole yet waits for the rest. */
export function createRespSplitter(): (chunk: Buffer) => Buffer[] {
  let waiting: Buffer = Buffer.alloc(0)
  return (chunk) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
    const values: Buffer[] = []
    let from = 0
    for (;;) {
      const to = endOfValue(waiting, from)
      if (to === undefined) break
      values.push(waiting.subarray(from, to))
      from = to
    }
    waiting = waiting.subarray(from)
    return values
  }
}

const crlf = Buffer.from('\r\n')

/** Returns where the value that begins here ends, or undefined if it is not whole yet. */
function endOfValue(bytes: Buffer, from: number): number | undefined {
  const lineEnd = bytes.indexOf(crlf, from)
  if (from >= bytes.length || lineEnd < 0) return undefined
  const type = String.fromCharCode(bytes[from] ?? 0)
  const after = lineEnd + crlf.length
  const size = Number(bytes.toString('latin1', from + 1, lineEnd))
  if (type === '$') {
    const end = size < 0 ? after : after + size + crlf.length
    return end <= bytes.length ? end : undefined
  }
  if (type !== '*' && type !== '>') return after
  let at: number | undefined = after
  for (let n = 0; n < size && at !== undefined; n += 1) at = endOfValue(bytes, at)
  return at
}
