import { expect, test } from 'vitest'
import { demoOfThisFile, strangers } from './kit.ts'
import { patience } from './window.ts'

const demo = demoOfThisFile()

test('what is unread is counted in each window of a person, and read in all of them', async () => {
  const { alice, bob } = strangers()
  const hers = await demo.open(alice, { with: bob })
  const [phone, desk] = await Promise.all([demo.open(bob), demo.open(bob)])
  await hers.says('One', 'Two')
  for (const window of [phone, desk]) {
    await window.chat('Alice').getByText('2 unread').waitFor()
    await window.isTitled('(1) Bob · Parley')
  }
  await hers.says('Three')
  await desk.chat('Alice').getByText('3 unread').waitFor()
  await phone.opens('Alice')
  await desk.isTitled('Bob · Parley')
  await expect.poll(() => desk.chat('Alice').getByText('unread').count(), patience).toBe(0)
  await hers.ticks('Three', 'Read')
})

test('a person is seen to come and to go', async () => {
  const { alice, bob } = strangers()
  const hers = await demo.open(alice, { with: bob })
  const his = await demo.open(bob, { with: alice })
  await hers.says('Hello')
  await his.article('Hello').waitFor()
  const header = hers.page.getByRole('region', { name: 'Bob' }).locator('header')
  await header.locator('p').getByText('online', { exact: true }).waitFor()
  await hers.chat('Bob').getByText('online', { exact: true }).waitFor({ state: 'attached' })
  await his.page.close()
  await header.getByText(/^last seen today at /).waitFor()
  await expect.poll(() => hers.chat('Bob').getByText('online').count(), patience).toBe(0)

  await demo.open(bob, { with: alice, beside: his })
  await header.locator('p').getByText('online', { exact: true }).waitFor()
})

test('chats are pinned, muted and archived on every device, and stay so over a reload', async () => {
  const { alice, bob, carol, dave } = strangers()
  const [his, carols, daves] = await Promise.all([bob, carol, dave].map((each) => demo.open(each, { with: alice })))
  if (!his || !carols || !daves) throw new Error('Somebody is missing.')
  for (const [window, body] of [
    [his, 'from Bob'],
    [carols, 'from Carol'],
    [daves, 'from Dave'],
  ] as const) {
    await window.says(body)
    await window.ticks(body, 'Sent')
  }
  const [hers, other] = await Promise.all([demo.open(alice), demo.open(alice)])
  const titles = (window: typeof hers) =>
    window.page.getByRole('list', { name: 'Chats' }).locator('a [class*=title]').allTextContents()
  await expect.poll(() => titles(hers), patience).toEqual(['Dave', 'Carol', 'Bob'])
  await hers.isTitled('(3) Alice · Parley')

  await hers.chooses('Bob', 'Pin')
  // A row that moves under the pointer is another one's.
  await expect.poll(() => titles(hers), patience).toEqual(['Bob', 'Dave', 'Carol'])
  await hers.chooses('Carol', 'Mute always')
  await hers.chooses('Dave', 'Archive')
  for (const window of [hers, other]) {
    await expect.poll(() => titles(window), patience).toEqual(['Bob', 'Carol'])
    await window.chat('Carol').getByText('Muted').waitFor({ state: 'attached' })
    await window.chat('Bob').getByText('Pinned').waitFor({ state: 'attached' })
    await window.page.getByText('Archived (1)').waitFor()
    await window.isTitled('(1) Alice · Parley')
  }
  await hers.page.reload()
  await hers.isConnected()
  await expect.poll(() => titles(hers), patience).toEqual(['Bob', 'Carol'])
  await hers.isTitled('(1) Alice · Parley')
  await hers.page.getByText('Archived (1)').click()
  await hers.page.getByRole('list', { name: 'Archived (1)' }).getByRole('link', { name: 'Dave' }).waitFor()

  await carols.says('Am I too loud?')
  await hers.chat('Carol').getByText('2 unread').waitFor()
  await hers.isTitled('(1) Alice · Parley')
  await hers.chooses('Carol', 'Unmute')
  await hers.isTitled('(2) Alice · Parley')
  await hers.chooses('Dave', 'Unarchive')
  await expect.poll(() => titles(hers), patience).toEqual(['Bob', 'Carol', 'Dave'])
})

test('whoever has no mouse opens the menu of a chat, goes through it, and is back where they were', async () => {
  const { alice, bob } = strangers()
  const hers = await demo.open(alice, { with: bob })
  await hers.says('Hello')
  await hers.ticks('Hello', 'Sent')
  const { keyboard } = hers.page
  const focused = hers.page.locator(':focus')
  await hers.chat(bob.id).focus()
  await keyboard.press('Tab')
  await expect.poll(() => focused.getAttribute('aria-haspopup'), patience).toBe('menu')
  await keyboard.press('Enter')
  await expect.poll(() => focused.textContent(), patience).toContain('Pin')
  await keyboard.press('ArrowUp')
  await expect.poll(() => focused.textContent(), patience).toContain('Block')
  await keyboard.press('ArrowDown')
  await keyboard.press('Escape')
  await expect.poll(() => focused.getAttribute('aria-haspopup'), patience).toBe('menu')
  await keyboard.press('Enter')
  await keyboard.press('Enter')
  await hers.chat(bob.id).getByText('Pinned').waitFor({ state: 'attached' })

  await keyboard.press('Enter')
  for (const _ of ['Mute for 8 hours', 'Mute always', 'Archive']) await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  await expect.poll(() => focused.textContent(), patience).toBe('Archived (1)')
})

test('who is blocked is refused in words that tell nothing, and may write again later', async () => {
  const { alice, bob } = strangers()
  const his = await demo.open(bob, { with: alice })
  await his.says('Buy my boat')
  const hers = await demo.open(alice, { with: bob })
  await hers.article('Buy my boat').waitFor()
  await hers.chooses('Bob', 'Block Bob')
  await hers.page.getByRole('dialog', { name: 'Block Bob?' }).getByRole('button', { name: 'Block' }).click()
  await hers.page.getByText('You have blocked them').waitFor()
  // Another device of hers, which has never been told of it, knows it from the server.
  const another = await demo.open(alice, { with: bob })
  await another.page.getByText('You have blocked them').waitFor()

  await his.says('Buy it now')
  await his.ticks('Buy it now', 'Not sent')
  const failed = his.article('Buy it now')
  await failed.getByText('Not sent. You cannot write in this conversation.').waitFor()
  await hers.chooses('Bob', 'Unblock Bob')
  await expect.poll(() => hers.page.getByText('You have blocked them').count(), patience).toBe(0)
  await failed.getByRole('button', { name: 'Try again' }).click()
  await hers.article('Buy it now').waitFor()
})
