import { expect, test } from 'vitest'
import { isFine } from '../demo/is-fine.ts'
import { tabTo } from '../demo/window.ts'
import { answer, consoleOfThisFile, freshIds, isFineOnPhone } from './kit.ts'

const at = consoleOfThisFile()

type Created = { createGroup: { conversation: { id: string } } }

/** A group with a title, an owner, two members and so many messages of the owner. */
async function aGroup(messages: number) {
  const ids = freshIds('grace', 'ada', 'mallory')
  const users = [
    {
      id: ids.grace,
      name: 'Grace Hopper',
      metadata: { tier: 'gold', since: 1906 },
      avatarUrl: 'https://shop.example/grace.png',
    },
  ]
  await at.admin('mutation ($users: [UpsertUserInput!]!) { upsertUsers(input: { users: $users }) { users { id } } }', {
    users,
  })
  const group = {
    clientGroupId: ids.grace,
    title: 'Order 4711',
    ownerId: ids.grace,
    memberIds: [ids.ada, ids.mallory],
    metadata: { orderId: 4711 },
  }
  const { createGroup } = await at.admin<Created>(
    'mutation ($input: AdminCreateGroupInput!) { createGroup(input: $input) { conversation { id } } }',
    { input: group },
  )
  const { id } = createGroup.conversation
  for (let i = 1; i <= messages; i += 1) await say(id, ids.grace, `${id}-${i}`, `Message ${i}`)
  return { ...ids, id }
}

const say = (conversationId: string, as: string, clientMessageId: string, body: string) =>
  at.admin('mutation ($input: AdminSendMessageInput!) { sendMessage(input: $input) { duplicate } }', {
    input: { to: { conversationId }, as, clientMessageId, body },
  })

test('a user is found by id, with profile and conversations', async () => {
  const { grace, id } = await aGroup(1)
  await at.admin('mutation ($input: AdminSendMessageInput!) { sendMessage(input: $input) { duplicate } }', {
    input: { to: { userId: grace }, as: 'ada', clientMessageId: grace, body: 'Is it still for sale?' },
  })
  const window = await at.open()
  const { page } = window
  await isFine(window, 'console-users')
  await page.getByRole('textbox', { name: 'User id' }).fill(` ${grace} `)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor()
  await page.getByText('"tier": "gold"').waitFor()
  await page.getByRole('link', { name: 'With ada' }).waitFor()
  await isFine(window, 'console-user')
  await isFineOnPhone(window, 'console-user')
  const ban = page.getByRole('button', { name: 'Ban…' })
  await tabTo(page, ban)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: `Ban ${grace}?` }).waitFor()
  await page.keyboard.press('Escape')
  expect(await ban.evaluate((button) => button === document.activeElement)).toBe(true)
  await page.getByRole('link', { name: 'Order 4711' }).click()
  await page.getByRole('heading', { name: 'Order 4711' }).waitFor()
  expect(page.url()).toBe(`${at.url()}/admin#/conversations/${id}`)
  await page.goBack()
  await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor()
  await page.getByRole('link', { name: 'Users' }).first().click()
  await page.getByRole('heading', { name: 'Looked at in this tab' }).waitFor()
  await page.getByRole('link', { name: grace }).waitFor()

  await page.goto(`${at.url()}/admin#/users/nobody`)
  await page.getByText('There is nobody with the id nobody').waitFor()
  await isFine(window, 'console-nobody')
})

test('a conversation is read both ways and from any place', async () => {
  const { id } = await aGroup(120)
  const window = await at.open(`#/conversations/${id}`)
  const { page } = window
  const log = page.getByRole('log')
  /** Which messages are the first and the last of those that are shown. */
  const ends = async () => {
    const bodies = await log.getByText(/^Message \d+$/).allTextContents()
    return [bodies[0], bodies.at(-1)].map((body) => Number(body?.slice('Message '.length)))
  }
  await expect.poll(ends).toEqual([71, 120])
  await page.getByRole('link', { name: 'Older messages' }).click()
  await expect.poll(ends).toEqual([21, 70])
  await page.getByRole('link', { name: 'Older messages' }).click()
  await expect.poll(ends).toEqual([1, 20])
  await page.getByRole('link', { name: 'Newer messages' }).click()
  await expect.poll(ends).toEqual([21, 70])
  // The group itself is the first entry.
  await page.getByRole('spinbutton', { name: 'Go to seq' }).fill('61')
  await page.keyboard.press('Enter')
  await log.locator('[aria-current]').getByText('Message 60', { exact: true }).waitFor()
  await isFine(window, 'console-conversation')
  await isFineOnPhone(window, 'console-conversation')
  await page.getByRole('link', { name: 'Newest messages' }).click()
  await expect.poll(ends).toEqual([71, 120])
})

test('a conversation is moderated: messages, members and title', async () => {
  const { id, grace, mallory } = await aGroup(1)
  await say(id, mallory, `${id}-rude`, 'Something rude')
  const window = await at.open(`#/conversations/${id}`)
  const { page } = window
  const log = page.getByRole('log')
  await page.getByRole('button', { name: 'Delete message 3' }).click()
  await isFine(window, 'console-delete')
  await answer(page, 'Delete')
  await log.getByText(/^Deleted/).waitFor()
  expect(await log.getByText('Something rude').count()).toBe(0)

  await page.getByRole('textbox', { name: 'A message from console' }).fill('Please be kind.')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await log.getByText('Please be kind.').waitFor()
  await log.getByText('System').waitFor()

  await page.getByRole('button', { name: `Remove ${mallory}` }).click()
  await answer(page, 'Remove')
  await page.getByRole('heading', { name: '2 members' }).waitFor()
  await page.getByRole('button', { name: 'Add people…' }).click()
  await answer(page, 'Add 2 people', { 'User ids': `${grace}-1, ${grace}-2` })
  await page.getByRole('heading', { name: '4 members' }).waitFor()

  await page.getByRole('button', { name: 'Rename…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rename the group' })
  await dialog.getByLabel('Title').fill('x'.repeat(101))
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(await dialog.getByLabel('Title').inputValue()).toBe('x'.repeat(101))
  await isFine(window, 'console-problem')
  await answer(page, 'Rename', { Title: 'Order 4712' })
  await page.getByRole('heading', { name: 'Order 4712' }).waitFor()
})

test('a conversation is exported, and its file fetched', async () => {
  const { id } = await aGroup(3)
  const window = await at.open(`#/conversations/${id}`)
  const { page } = window
  await page.getByRole('button', { name: 'Export…' }).click()
  await answer(page, 'Export')
  await page.getByRole('heading', { name: 'Export of Order 4711' }).waitFor()
  const file = page.getByRole('link', { name: 'Fetch the file' })
  await file.waitFor()
  await isFine(window, 'console-task')
  const lines = await (await fetch(new URL((await file.getAttribute('href')) ?? '', at.url()))).text()
  expect(lines).toContain('"Message 3"')
  await page.getByRole('link', { name: 'Tasks' }).first().click()
  await page.getByText('Export of Order 4711').waitFor()
})

test('what this server cannot do is said in its words', async () => {
  const window = await at.open('#/events')
  await window.page
    .getByRole('alert')
    .getByText(/EVENTS=on/)
    .waitFor()
  await isFine(window, 'console-no-events')
})
