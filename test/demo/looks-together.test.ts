import { test } from 'vitest'
import { isFine } from './is-fine.ts'
import { demoOfThisFile } from './kit.ts'
import { picture } from './picture.ts'
import type { ChatWindow } from './window.ts'

const demo = demoOfThisFile({ ownServer: {} })
const files = [
  { name: 'meadow.png', mimeType: 'image/png', buffer: picture(640, 400) },
  {
    name: 'The long way over the hills, with a name to match it.pdf',
    mimeType: 'application/pdf',
    buffer: picture(9, 9),
  },
]

async function attach({ page }: ChatWindow): Promise<void> {
  await page.getByLabel('Files to attach').setInputFiles(files)
  for (const { name } of files) await page.getByRole('button', { name: `Remove ${name}` }).waitFor()
}

test('everybody can use groups, lists, files and menus, whatever they show', async () => {
  const [alice, bob, carol, dave] = ['Alice', 'Bob', 'Carol', 'Dave'].map((name) => ({ id: name.toLowerCase(), name }))
  if (!alice || !bob || !carol || !dave) throw new Error('Somebody is missing.')
  const context = { reducedMotion: 'reduce', viewport: { width: 1180, height: 780 } } as const
  const phone = { ...context, viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }
  const [his, carols, daves] = await Promise.all([
    demo.open(bob, { context, with: alice }),
    demo.open(carol, { context, with: alice }),
    demo.open(dave, { context, with: alice }),
  ])
  await his.says('Are you coming?')
  await carols.says('I have read all of it, twice, and I have some remarks which I shall send you one by one')
  await daves.says('Tunnel')
  await daves.ticks('Tunnel', 'Sent')
  const hers = await demo.open(alice, { context })
  await hers.chat('Dave').waitFor()

  const { page } = hers
  await page.getByRole('button', { name: 'New group' }).click()
  const dialog = page.getByRole('dialog', { name: 'New group' })
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Saturday in the hills')
  for (const name of ['Bob', 'Carol']) await dialog.getByRole('button', { name, exact: true }).click()
  await isFine(hers, 'new-group')
  await dialog.getByRole('button', { name: 'Create group' }).click()
  await hers.says('Who brings the map?', 'And the bread?')
  await Promise.all([his.opens('Saturday in the hills'), carols.opens('Saturday in the hills')])
  // Before the picture comes: it is tall, and pushes what is above it out of the list.
  await carols.does('And the bread?', 'Reply')
  await carols.says('I do, and cheese')
  await hers.does('I do, and cheese', '❤️')
  await hers.article('I do, and cheese').getByRole('button', { name: '❤️ 1' }).waitFor()
  await attach(his)
  await isFine(his, 'attaching')
  await his.says('This is how far we get')
  await hers.article('This is how far we get').waitFor()
  await carols.says('Splendid')
  await hers.article('Splendid').waitFor()
  await hers.messages.getByRole('img', { name: 'meadow.png' }).evaluate((image: HTMLImageElement) => image.decode())

  await hers.chooses('Saturday in the hills', 'Pin')
  await hers.chooses('Carol', 'Mute always')
  await hers.chooses('Dave', 'Archive')
  await page.getByText('Archived (1)').click()
  await page.getByRole('list', { name: 'Archived (1)' }).getByRole('link', { name: 'Dave' }).waitFor()
  await isFine(hers, 'group')
  await page.getByRole('button', { name: 'Options for Bob' }).click()
  await page.getByRole('menu', { name: 'Options for Bob' }).waitFor()
  await isFine(hers, 'chat-menu')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Open meadow.png' }).click()
  await isFine(hers, 'picture')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Group info' }).click()
  const info = page.getByRole('dialog', { name: 'Group info' })
  await info.getByRole('button', { name: 'Make admin: Bob' }).click()
  await info.getByText('Admin', { exact: true }).waitFor()
  await isFine(hers, 'group-info')
  await info.getByRole('button', { name: 'Close' }).click()

  const pocket = await demo.open(alice, { context: phone })
  await pocket.chat('Carol').getByText('Muted').waitFor({ state: 'attached' })
  await pocket.page.getByText('Archived (1)').waitFor()
  await isFine(pocket, 'phone-settings')
  await pocket.page.getByRole('button', { name: 'Options for Bob' }).click()
  await isFine(pocket, 'phone-chat-menu')
  await pocket.page.keyboard.press('Escape')
  await pocket.opens('Saturday in the hills')
  await pocket.messages.getByRole('img', { name: 'meadow.png' }).evaluate((image: HTMLImageElement) => image.decode())
  await isFine(pocket, 'phone-group')
  await attach(pocket)
  await isFine(pocket, 'phone-attaching')
  await pocket.page.getByRole('button', { name: 'Group info' }).click()
  await pocket.page.getByRole('dialog', { name: 'Group info' }).waitFor()
  await isFine(pocket, 'phone-group-info')

  await page.getByRole('button', { name: 'Group info' }).click()
  await info.getByRole('button', { name: 'Remove Carol' }).click()
  await carols.page.getByText('You are not in this group any more.').waitFor()
  await isFine(carols, 'group-ended')
  await hers.page.keyboard.press('Escape')
  await hers.opens('Bob')
  await hers.page.getByRole('region', { name: 'Bob' }).locator('header p').getByText('online').waitFor()
  await isFine(hers, 'presence')
})
