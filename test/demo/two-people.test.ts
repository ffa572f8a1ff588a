import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { demoOfThisFile, strangers } from './kit.ts'
import { lookAt, patience, tabTo } from './window.ts'

const demo = demoOfThisFile()

test('two people pick who they are, chat, and see the ticks turn', async () => {
  const hers = await demo.visit('/')
  await hers.page.getByRole('region', { name: 'Who are you?' }).waitFor()
  await hers.page.getByRole('list', { name: 'Sample people' }).getByRole('link', { name: 'Alice' }).click()
  await hers.isConnected()
  await hers.isTitled('Alice · Parley')
  await hers.page.getByRole('link', { name: 'Write to Bob' }).click()
  await hers.says('Hello, Bob')
  await hers.ticks('Hello, Bob', 'Sent')

  const his = await demo.visit('/')
  await his.page.getByRole('list', { name: 'Sample people' }).getByRole('link', { name: 'Bob' }).click()
  await his.chat('Alice').getByText('1 unread').waitFor()
  await his.isTitled('(1) Bob · Parley')
  await hers.ticks('Hello, Bob', 'Delivered')

  const way = 'The way is at https://parley.example/map?to=8#door.'
  await hers.says('Is it eight o’clock?', way)
  await his.chat('Alice').getByText('3 unread').waitFor()
  await his.isTitled('(1) Bob · Parley')
  await hers.ticks(way, 'Delivered')

  await his.opens('Alice')
  await his.messages.getByText('3 new messages').waitFor()
  await his.messages.getByRole('heading', { name: 'Today' }).waitFor()
  await his.sees(['Hello, Bob', 'Is it eight o’clock?', way])
  await his.isTitled('Bob · Parley')
  for (const body of ['Hello, Bob', 'Is it eight o’clock?', way]) await hers.ticks(body, 'Read')

  const link = his.messages.getByRole('link', { name: 'https://parley.example/map?to=8#door' })
  expect(await link.getAttribute('href')).toBe('https://parley.example/map?to=8#door')
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer')

  await his.says('Eight it is', '👍')
  const all = ['Hello, Bob', 'Is it eight o’clock?', way, 'Eight it is', '👍']
  await Promise.all([hers.sees(all), his.sees(all)])
  await his.ticks('👍', 'Read')
  await expect.poll(() => his.messages.getByText('3 new messages').count(), patience).toBe(0)
})

test('what comes into a window nobody looks at is delivered, and read when somebody looks', async () => {
  const { alice, bob } = strangers()
  const hers = await demo.open(alice, { with: bob })
  const his = await demo.open(bob, { with: alice })
  const elsewhere = await demo.visit('/', { beside: his })
  await lookAt(his, false)
  await elsewhere.page.bringToFront()
  await hers.says('psst', 'Bob!')
  await his.isTitled('(1) Bob · Parley')
  await hers.ticks('Bob!', 'Delivered')
  await his.messages.getByText('2 new messages').waitFor()

  await lookAt(his, true)
  await his.page.bringToFront()
  await hers.ticks('Bob!', 'Read')
  await his.isTitled('Bob · Parley')
})

test('somebody enters under a name of their own, finds somebody by id, and is known by the name', async () => {
  const { alice } = strangers()
  const hers = await demo.open(alice)
  const grace = await demo.visit('/')
  const { page } = grace
  await page.getByRole('textbox', { name: 'A name of your own' }).fill('Grace Hopper')
  await page.getByText('Others reach you as grace-hopper').waitFor()
  await page.getByRole('button', { name: 'Enter' }).click()
  await grace.isConnected()
  await grace.isTitled('Grace Hopper · Parley')
  await page.getByRole('button', { name: 'New chat' }).click()
  const dialog = page.getByRole('dialog', { name: 'New chat' })
  await dialog.getByRole('textbox', { name: 'User id' }).fill(alice.id)
  await dialog.getByRole('button', { name: 'Open' }).click()
  await grace.says('It is easier to ask forgiveness')
  await hers.opens('Grace Hopper')
  await hers.sees(['It is easier to ask forgiveness'])
  await grace.opens('Alice')
  expect(await grace.chat('Alice').getAttribute('aria-current')).toBe('page')

  await page.getByRole('link', { name: 'Switch person' }).click()
  await page.getByRole('region', { name: 'Who are you?' }).waitFor()
  await grace.isTitled('Parley')
})

test('on a phone there is the list, then the chat, and a way back; nothing is wider than the screen', async () => {
  const { alice, bob } = strangers()
  const long = `https://parley.example/${'very-long-'.repeat(30)} and ${'w'.repeat(200)}`
  const hers = await demo.open(alice, { with: bob })
  await hers.says('Short', long)
  const context = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true }
  const his = await demo.open(bob, { context })
  const { page } = his
  const fits = async (shown: Locator) => {
    await shown.waitFor()
    expect(await shown.page().evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  }
  await fits(his.chat('Alice').getByText('2 unread'))
  expect(await his.messages.count()).toBe(0)
  for (const name of ['New chat', 'New group', 'For developers']) {
    await page.getByRole('button', { name }).tap()
    await fits(page.getByRole('dialog', { name }))
    await page.getByRole('button', { name: 'Close' }).tap()
  }

  await his.chat('Alice').tap()
  await his.sees(['Short', long])
  await hers.ticks(long, 'Read')
  await fits(his.messages)
  expect(await his.messages.evaluate((log) => log.scrollWidth - log.clientWidth)).toBe(0)
  expect(await his.chat('Alice').count()).toBe(0)
  const picker = page.getByRole('dialog', { name: 'Emoji' })
  await page.getByRole('button', { name: 'Emoji' }).tap()
  await fits(picker)
  await picker.getByRole('button', { name: 'party' }).tap()
  await page.getByRole('button', { name: 'Send' }).tap()
  await hers.sees(['Short', long, '🎉'])

  await page.getByRole('link', { name: 'Back to chats' }).tap()
  await his.chat('Alice').waitFor()
  expect(await his.messages.count()).toBe(0)
  const welcome = await demo.visit('/', { beside: his })
  await fits(welcome.page.getByRole('region', { name: 'Who are you?' }))
})

test('whoever has no mouse picks a person, opens a chat, writes, and comes back with Escape', async () => {
  const { alice } = strangers()
  const his = await demo.visit('/')
  const { page } = his
  const { keyboard } = page
  const focused = page.locator(':focus')
  const hasFocus = (name: string) => expect.poll(() => focused.getAttribute('aria-label'), patience).toBe(name)
  await page.getByRole('region', { name: 'Who are you?' }).waitFor()
  await tabTo(page, page.getByRole('link', { name: 'Dave' }))
  await keyboard.press('Enter')
  await his.isConnected()
  const newChat = page.getByRole('button', { name: 'New chat' })
  await tabTo(page, newChat)
  await keyboard.press('Enter')
  await tabTo(page, page.getByRole('textbox', { name: 'User id' }))
  await keyboard.press('Escape')
  await hasFocus('New chat')

  await keyboard.press('Enter')
  await tabTo(page, page.getByRole('textbox', { name: 'User id' }))
  await keyboard.type(alice.id)
  await keyboard.press('Enter')
  await hasFocus('Message')
  await keyboard.type('No mouse')
  await keyboard.press('Shift+Enter')
  await keyboard.type('needed ')
  await keyboard.press('Shift+Tab')
  await keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Emoji' }).waitFor()
  await keyboard.press('ArrowRight')
  await keyboard.press('Enter')
  await keyboard.press('Escape')
  await hasFocus('Message')
  await keyboard.press('Enter')
  await his.sees(['No mouse\nneeded 😄'])
  await his.ticks('No mouse needed 😄', 'Sent')

  await page.setViewportSize({ width: 390, height: 800 })
  await keyboard.press('Escape')
  await his.chat(alice.id).waitFor()
  await expect.poll(() => focused.getAttribute('href'), patience).toContain(`with=${alice.id}`)
})
