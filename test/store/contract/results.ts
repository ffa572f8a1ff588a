import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Results } from '../../../src/ports/media.ts'

const realClock: Clock = { now: Date.now, monotonic: () => performance.now(), sleep: async () => undefined }
const contentType = 'application/x-ndjson'
const part = (letter: string): Uint8Array => Buffer.alloc(5 * 1024 * 1024, letter)

export function resultsContract(open: () => { at(clock: Clock): Results; origin: string }): void {
  const results = (clock = realClock) => open().at(clock)
  const aKey = () => `exports/${randomUUID()}`
  const fileOf = (key: string, byteSize: number) => ({ key, contentType, byteSize, name: 'all of it.ndjson' })
  const read = async (key: string, byteSize: number) =>
    fetch(new URL(await results().presign(fileOf(key, byteSize), Date.now() + 60_000), open().origin))

  test('a result is put together of its parts, by whoever goes on with it', async () => {
    const key = aKey()
    let file = await results().begin({ key, contentType })
    file = await results().write(file, part('a'))
    // Somebody wrote the next part, died before that was noted, and the next one writes it again.
    await results().write(file, part('x'))
    file = await results().write(file, part('b'))
    file = await results().write(file, Buffer.from('end'))
    expect((await read(key, 1)).status).toBe(404)
    await results().complete(file)
    await results().complete(file)
    const answer = await read(key, 2 * 5 * 1024 * 1024 + 3)
    expect(answer.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''all%20of%20it.ndjson")
    const text = await answer.text()
    expect([text.length, text[0], text.at(-4), text.slice(-3)]).toEqual([10_485_763, 'a', 'b', 'end'])
  })

  test('a result is removed, also half of one, and also twice', async () => {
    const [whole, half] = [aKey(), aKey()]
    const file = await results().write(await results().begin({ key: whole, contentType }), Buffer.from('x'))
    await results().complete(file)
    const partial = await results().write(await results().begin({ key: half, contentType }), part('y'))
    for (const each of [{ key: whole }, { key: whole }, partial, partial]) await results().remove(each)
    expect((await read(whole, 1)).status).toBe(404)
    expect((await read(half, 1)).status).toBe(404)
  })

  test('its URL ends when it was said to', async () => {
    const key = aKey()
    const file = await results().write(await results().begin({ key, contentType }), Buffer.from('x'))
    await results().complete(file)
    const before: Clock = { ...realClock, now: () => Date.now() - 120_000 }
    const url = await results(before).presign(fileOf(key, 1), Date.now() - 60_000)
    expect((await fetch(new URL(url, open().origin))).status).toBe(403)
  })
}
