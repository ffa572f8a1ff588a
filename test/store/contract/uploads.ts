import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Upload, Uploads } from '../../../src/ports/media.ts'
import { attachmentId } from '../../../src/protocol/ids.ts'
import { aClientMessageId, aUser, upTo } from '../../kit/ids.ts'

/** Each test has hours of its own, so that tests do not meet each other's uploads. */
let nextHour = 600_000

export function uploadsContract(open: () => Uploads): void {
  const aUpload = (hour: number, given: Partial<Upload> = {}): Upload => {
    const id = attachmentId(hour, randomUUID())
    const file = { id, key: `attachments/${id}`, contentType: 'image/png', byteSize: 12 }
    return { ...file, ownerId: aUser(), expiresAtMs: hour * 3_600_000 + 5, ...given }
  }
  async function created(count: number, hour = nextHour++): Promise<Upload[]> {
    const uploads = upTo(count).map(() => aUpload(hour))
    await Promise.all(uploads.map((upload) => open().create(upload)))
    return uploads
  }
  const ids = (uploads: readonly Upload[]) => uploads.map(({ id }) => id).sort()

  test('what is created can be read, with a name or without', async () => {
    const [nameless, named] = [aUpload(nextHour), aUpload(nextHour++, { name: 'Zoë’s cat.png' })]
    await open().create(nameless)
    await open().create(named)
    expect(await open().getMany([nameless.id])).toEqual([nameless])
    expect(await open().getMany([named.id])).toEqual([named])
    expect(await open().getMany([aUpload(nextHour).id])).toEqual([])
    expect(await open().getMany([])).toEqual([])
  })

  test('an upload goes to the send that asks first, as often as it asks', async () => {
    const [upload] = (await created(1)) as [Upload]
    const [one, other] = [aClientMessageId(), aClientMessageId()]
    expect(await open().attach(upload.id, one)).toBe(true)
    expect(await open().attach(upload.id, one)).toBe(true)
    expect(await open().attach(upload.id, other)).toBe(false)
    expect(await open().getMany([upload.id])).toEqual([{ ...upload, attachedTo: one }])
  })

  test('of twenty sends at once exactly one gets it', async () => {
    const [upload] = (await created(1)) as [Upload]
    const answers = await Promise.all(upTo(20).map(() => open().attach(upload.id, aClientMessageId())))
    expect(answers.filter(Boolean)).toHaveLength(1)
  })

  test('what is not there goes to nobody, and is not made by asking', async () => {
    const { id } = aUpload(nextHour++)
    expect(await open().attach(id, aClientMessageId())).toBe(false)
    expect(await open().getMany([id])).toEqual([])
  })

  test('those of an hour are found, and no others', async () => {
    const hour = nextHour++
    const uploads = await created(40, hour)
    await created(3)
    expect(ids(await open().expiringIn(hour, 100))).toEqual(ids(uploads))
    expect(await open().expiringIn(hour, 7)).toHaveLength(7)
    expect(await open().expiringIn(nextHour++, 100)).toEqual([])
  })

  test('what is removed is gone, also twice', async () => {
    const hour = nextHour++
    const [gone, kept] = (await created(2, hour)) as [Upload, Upload]
    await open().remove(gone.id)
    await open().remove(gone.id)
    expect(await open().getMany([gone.id])).toEqual([])
    expect(await open().expiringIn(hour, 100)).toEqual([kept])
  })

  test('how far the sweep has come only rises', async () => {
    expect(await open().sweptHour()).toBeUndefined()
    await open().setSweptHour(41)
    await open().setSweptHour(40)
    expect(await open().sweptHour()).toBe(41)
    await open().setSweptHour(42)
    expect(await open().sweptHour()).toBe(42)
  })
}
