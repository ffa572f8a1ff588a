import { expect, test } from 'vitest'
import { demoOfThisFile, strangers } from './kit.ts'
import { picture } from './picture.ts'
import { type ChatWindow, patience } from './window.ts'

const demo = demoOfThisFile()
const cat = { name: 'cat.png', mimeType: 'image/png', buffer: picture(640, 400) }

const chooses = ({ page }: ChatWindow, ...files: (typeof cat)[]) =>
  page.getByLabel('Files to attach').setInputFiles(files)

/** A file from elsewhere: of these bytes, or of so many. */
const bring = ({ field }: ChatWindow, way: 'paste' | 'drop', file: { name: string; bytes: number[] | number }) =>
  field.evaluate(
    (target, [type, { name, bytes }]) => {
      const content = typeof bytes === 'number' ? new Uint8Array(bytes) : Uint8Array.from(bytes)
      const data = new DataTransfer()
      data.items.add(new File([content], name, { type: 'image/png' }))
      const event =
        type === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
      target.dispatchEvent(event)
    },
    [way, file] as const,
  )

/** How wide a picture really is, as the browser has read it. */
const widthOf = (window: ChatWindow, name: string) =>
  window.messages.getByRole('img', { name }).evaluate((image: HTMLImageElement) => image.naturalWidth)

test('a picture goes up with a progress bar, is seen by the other, opens large, and outlives its address', async () => {
  const { alice, bob } = strangers()
  const [hers, his] = await Promise.all([demo.open(alice, { with: bob }), demo.open(bob, { with: alice })])
  const held = await hers.profile.holdUploads()
  await chooses(hers, cat)
  const attached = hers.page.getByRole('list', { name: 'Attached' })
  await attached.getByRole('progressbar', { name: 'Uploading cat.png' }).waitFor()
  expect(await hers.page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
  await hers.keep('picture-uploading')
  held.release()
  await expect.poll(() => attached.getByRole('progressbar').count(), patience).toBe(0)
  await hers.says('My cat')
  await expect.poll(() => attached.count(), patience).toBe(0)

  const shown = his.article('My cat').getByRole('button', { name: 'Open cat.png' })
  await shown.waitFor()
  await expect.poll(() => widthOf(his, 'cat.png'), patience).toBe(640)
  await hers.ticks('My cat', 'Read')
  await shown.click()
  const large = his.page.getByRole('dialog', { name: 'cat.png' })
  await large.getByRole('img', { name: 'cat.png' }).waitFor()
  await his.page.keyboard.press('Escape')
  await expect.poll(() => large.count(), patience).toBe(0)
  await his.chat('Alice').getByText('My cat').waitFor()

  // The address it came with is refused once: as if its hour were over.
  his.profile.expectTrouble()
  let refused = 0
  await his.page.route(/\/media\?/, (route) => {
    refused += 1
    return refused === 1 ? route.fulfill({ status: 403, body: '' }) : route.fallback()
  })
  await his.page.reload()
  await expect.poll(() => widthOf(his, 'cat.png'), patience).toBe(640)
  expect(refused).toBe(2)
})

test('pictures are pasted and dropped, taken back, and sent without a word', async () => {
  const { alice, bob } = strangers()
  const [hers, his] = await Promise.all([demo.open(alice, { with: bob }), demo.open(bob, { with: alice })])
  await bring(hers, 'paste', { name: 'pasted.png', bytes: [...cat.buffer] })
  await bring(hers, 'drop', { name: 'dropped.png', bytes: [...cat.buffer] })
  await hers.page.getByRole('button', { name: 'Remove pasted.png' }).click()
  await hers.page.getByRole('button', { name: 'Remove dropped.png' }).waitFor()
  await expect.poll(() => hers.page.getByRole('button', { name: 'Remove pasted.png' }).count(), patience).toBe(0)
  await hers.page.getByRole('button', { name: 'Send' }).click()
  await expect.poll(() => widthOf(his, 'dropped.png'), patience).toBe(640)
  await his.chat('Alice').getByText('Picture').waitFor()
  expect(await his.messages.getByRole('article').count()).toBe(1)
})

test('a file that is refused says why, and can be taken away', async () => {
  const { alice, bob } = strangers()
  const hers = await demo.open(alice, { with: bob, blocked: 'websocket', until: 'Online by server-sent events' })
  await hers.profile.refuse('CreateUpload', 'Attachments are not set up on this server.')
  await chooses(hers, cat)
  const attached = hers.page.getByRole('list', { name: 'Attached' })
  await attached.getByRole('alert').getByText('Attachments are not set up on this server.').waitFor()
  await hers.field.fill('My cat')
  expect(await hers.page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
  await attached.getByRole('button', { name: 'Remove cat.png' }).click()
  await hers.field.press('Enter')
  await hers.ticks('My cat', 'Sent')
})

test('an upload is given up, what is too large is refused, and any other file is there to download', async () => {
  const { alice, bob } = strangers()
  const [hers, his] = await Promise.all([demo.open(alice, { with: bob }), demo.open(bob, { with: alice })])
  const held = await hers.profile.holdUploads()
  await chooses(hers, cat)
  await hers.page.getByRole('button', { name: 'Cancel cat.png' }).click()
  await expect.poll(() => hers.page.getByRole('list', { name: 'Attached' }).count(), patience).toBe(0)
  held.release()

  await bring(hers, 'drop', { name: 'film.mov', bytes: 25 * 1024 * 1024 + 1 })
  await hers.page.getByRole('alert').getByText('film.mov is larger than 25 MB.').waitFor()
  await hers.page.getByRole('button', { name: 'Dismiss' }).click()

  const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Milk, bread, tea') }
  await chooses(hers, notes)
  await hers.page.getByRole('button', { name: 'Remove notes.txt' }).waitFor()
  await hers.says('The list')
  const row = his.article('The list').getByRole('link', { name: 'notes.txt' })
  await row.getByText('16 bytes').waitFor()
  const [download] = await Promise.all([his.page.waitForEvent('download'), row.click()])
  expect(download.suggestedFilename()).toBe('notes.txt')
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk))
  expect(Buffer.concat(chunks).toString()).toBe('Milk, bread, tea')
})
