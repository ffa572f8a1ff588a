import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { refreshAttachments, upload } from '../../packages/client/src/media.ts'
import { type Device, startDevice } from '../kit/runtime.ts'
import { startWorld, type World } from '../kit/world.ts'

// Files between clients and a node as they are.

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

async function deviceOf(userId: string): Promise<Device> {
  const device = startDevice(userId, `${world.url()}/graphql`)
  onTestFinished(device.leave)
  await device.online()
  return device
}

it('a file goes up, its message carries it without a text, and the other reads it byte for byte', async () => {
  const [alice, bob] = [(await world.person('alice')).userId, (await world.person('bob')).userId]
  const [atAlice, atBob] = [await deviceOf(alice), await deviceOf(bob)]
  const bytes = new Uint8Array(await readFile(new URL(import.meta.url)))
  const { attachment, progress } = upload(atAlice, { bytes, type: 'text/plain', name: 'this.ts' })
  const { id } = await attachment
  expect(progress.get()).toEqual({ state: 'done', sentBytes: bytes.length, byteSize: bytes.length })
  atBob.look({ userId: alice })
  atAlice.send({ userId: bob }, '', { attachmentIds: [id] })
  await vi.waitFor(() => expect(atBob.messages({ userId: alice }).get().entries).toHaveLength(1), { timeout: 20_000 })
  const [entry] = atBob.messages({ userId: alice }).get().entries
  const shown = entry?.type === 'message' ? entry.message : undefined
  expect(shown).toMatchObject({
    body: '',
    attachments: [{ contentType: 'text/plain', byteSize: bytes.length, name: 'this.ts' }],
  })
  const [fresh] = await refreshAttachments(atBob, shown?.id ?? '')
  for (const url of [shown?.attachments[0]?.url, fresh?.url]) {
    const answer = await fetch(url ?? '')
    expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true)
  }
})
