/**
 * Reads server-sent events from the body of a response until it ends. `onBytes` is called for every chunk, also for one that
 * holds comments alone: the server sends comments to show that it is there.
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
  onEvent: (name: string, data: string) => void,
): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let unfinished = ''
  let name = ''
  let data: string[] = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onBytes()
    // A carriage return at the end of a chunk may be the first half of a line end: it waits for the next chunk.
    const lines = (unfinished + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    unfinished = lines.pop() ?? ''
    for (const line of lines) {
      const [, field, text = ''] = /^(event|data)(?:: ?(.*))?$/s.exec(line) ?? []
      if (field === 'event') name = text
      else if (field) data.push(text)
      else if (line === '' && (name || data.length > 0)) {
        onEvent(name, data.join('\n'))
        name = ''
        data = []
      }
    }
  }
}
