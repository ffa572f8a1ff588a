import { expect, test } from 'vitest'
import { isFine } from '../demo/is-fine.ts'
import { answer, consoleOfThisFile, freshIds, isFineOnPhone } from './kit.ts'

const at = consoleOfThisFile()

const dayMs = 86_400_000

/** A direct chat with two old messages and a new one. */
async function anOldChat() {
  const { grace, ada } = freshIds('grace', 'ada')
  const upsert = 'mutation ($users: [UpsertUserInput!]!) { upsertUsers(input: { users: $users }) { users { id } } }'
  await at.admin(upsert, { users: [{ id: grace, name: 'Grace Hopper' }] })
  let id = ''
  for (const [i, daysAgo] of [400, 200, 0].entries()) {
    const sentAt = new Date(Date.now() - daysAgo * dayMs).toISOString()
    const { sendMessage } = await at.admin<{ sendMessage: { message: { conversationId: string } } }>(
      'mutation ($input: AdminSendMessageInput!) { sendMessage(input: $input) { message { conversationId } } }',
      {
        input: {
          to: { userId: ada },
          as: grace,
          clientMessageId: `${grace}-${i}`,
          body: `${daysAgo} days old`,
          sentAt,
        },
      },
    )
    id = sendMessage.message.conversationId
  }
  return { grace, ada, id }
}

test('a user is exported, and their file fetched', async () => {
  const { grace } = await anOldChat()
  const window = await at.open(`#/users/${grace}`)
  const { page } = window
  await page.getByRole('button', { name: 'Export…' }).click()
  await answer(page, 'Export')
  await page.getByRole('heading', { name: `Export of ${grace}` }).waitFor()
  const file = page.getByRole('link', { name: 'Fetch the file' })
  await file.waitFor()
  const text = await (await fetch(new URL((await file.getAttribute('href')) ?? '', at.url()))).text()
  expect(text.trimEnd().split('\n')).toHaveLength(7)
  expect(text).toContain('"name":"Grace Hopper"')
  expect(text).toContain('"body":"400 days old"')
})

test('messages go after the days that are set, and the page says so', async () => {
  const { id } = await anOldChat()
  const window = await at.open(`#/conversations/${id}`)
  const { page } = window
  await page.getByText('400 days old', { exact: true }).waitFor()
  await page.getByText('For ever').waitFor()
  await page.getByRole('button', { name: 'Retention…' }).click()
  const dialog = page.getByRole('dialog', { name: 'How long are messages kept?' })
  await dialog.getByLabel('For some days').check()
  await dialog.getByRole('spinbutton', { name: 'Days' }).fill('36501')
  await dialog.getByRole('button', { name: 'Set' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/days must be 1 to/)
    .waitFor()
  await isFine(window, 'console-retention')
  await isFineOnPhone(window, 'console-retention')
  await dialog.getByRole('spinbutton', { name: 'Days' }).fill('300')
  await answer(page, 'Set')
  await page.getByText('300 days', { exact: true }).waitFor()
  await expect
    .poll(
      async () => {
        await page.getByRole('button', { name: 'Refresh' }).click()
        return page.getByText('400 days old', { exact: true }).count()
      },
      { timeout: 60_000 },
    )
    .toBe(0)
  await page.getByText('200 days old', { exact: true }).waitFor()
  await isFine(window, 'console-retained')
})

test('a user is erased once their id was typed; the page shows how far that is, and the user is refused at once', async () => {
  const { grace } = await anOldChat()
  const window = await at.open(`#/users/${grace}`)
  const { page } = window
  await page.getByRole('button', { name: 'Erase…' }).click()
  const dialog = page.getByRole('dialog', { name: `Erase ${grace}?` })
  expect(await dialog.getByRole('button', { name: 'Erase for good' }).isEnabled()).toBe(false)
  await isFine(window, 'console-erase')
  await answer(page, 'Erase for good', { 'Type the id to go on': grace })
  await page.getByRole('heading', { name: `Erasure of ${grace}` }).waitFor()
  await page.getByText('Runs', { exact: true }).waitFor()
  expect(await page.getByRole('progressbar', { name: 'Progress' }).getAttribute('value')).toBe('0')
  await isFine(window, 'console-erasure')
  await isFineOnPhone(window, 'console-erasure')
  await page.goto(`${at.url()}/admin#/users/${grace}`)
  await page.getByText('Erased', { exact: true }).first().waitFor()
  await isFine(window, 'console-erased')
  expect(await page.getByRole('button', { name: 'Ban…' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Erase…' }).count()).toBe(1)
  expect(await page.getByText('Grace Hopper').count()).toBe(0)
})
