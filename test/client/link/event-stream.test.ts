import { describe, expect, it } from 'vitest'
import { readEvents } from '../../../packages/client/src/link/event-stream.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** The events of a body that arrives in these chunks. */
async function eventsOf(...chunks: Uint8Array<ArrayBuffer>[]) {
  const events: [name: string, data: string][] = []
  let heard = 0
  await readEvents(
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk)
        controller.close()
      },
    }),
    () => {
      heard += 1
    },
    (name, data) => void events.push([name, data]),
  )
  return { events, heard }
}

describe('events from the body of a response', () => {
  it('are the same wherever it is cut, within a character and a line end too', async () => {
    const whole = bytes('event: next\r\ndata: {"body":"é 😀"}\r\n\r\n:\r\n\r\nevent: complete\r\ndata:\r\n\r\n')
    for (let at = 0; at <= whole.length; at += 1) {
      const { events } = await eventsOf(whole.slice(0, at), whole.slice(at))
      expect(events).toEqual([
        ['next', '{"body":"é 😀"}'],
        ['complete', ''],
      ])
    }
  })

  it.each(['\n', '\r', '\r\n'])('have lines that end in %j', async (end) => {
    const { events } = await eventsOf(bytes(['event: next', 'data: 1', '', ':', ''].join(end)))
    expect(events).toEqual([['next', '1']])
  })

  it('keep the line separators of Unicode, which JSON does not escape', async () => {
    const { events } = await eventsOf(bytes('event: next\ndata: "a\u2028b\u2029c"\n\n'))
    expect(events).toEqual([['next', '"a\u2028b\u2029c"']])
  })

  it('join their lines of data; a space after the colon is optional, and other fields are ignored', async () => {
    const { events } = await eventsOf(bytes('id: 7\nevent:next\ndata: {\ndata:}\ndata\nretry: 5\n\n'))
    expect(events).toEqual([['next', '{\n}\n']])
  })

  it('are not invented from comments and empty lines, which are heard all the same', async () => {
    expect(await eventsOf(bytes(':\n\n'), bytes('\n\n: here\n\n'))).toEqual({ events: [], heard: 2 })
  })

  it('that the body ends within are dropped', async () => {
    expect((await eventsOf(bytes('event: next\ndata: 1\n'))).events).toEqual([])
  })
})
