import { expect, test } from 'vitest'
import { isFine } from '../demo/is-fine.ts'
import { answer, consoleOfThisFile, devToken, freshIds } from './kit.ts'

const at = consoleOfThisFile()

test('a user is banned, unbanned, and loses their tokens', async () => {
  const { mallory } = freshIds('mallory')
  await at.admin(
    'mutation ($id: ID!) { upsertUsers(input: { users: [{ id: $id, name: "Mallory" }] }) { users { id } } }',
    {
      id: mallory,
    },
  )
  const token = await devToken(at.url(), mallory)
  const isAccepted = (expected: boolean) => expect.poll(() => at.accepts(token), { timeout: 60_000 }).toBe(expected)
  await isAccepted(true)
  const window = await at.open(`#/users/${mallory}`)
  const { page } = window

  await page.getByRole('button', { name: 'Ban…' }).click()
  await page.getByRole('radio', { name: 'Until …' }).click()
  await page.getByLabel('Until', { exact: true }).fill('')
  expect(await page.getByRole('button', { name: 'Ban', exact: true }).isDisabled()).toBe(true)
  await isFine(window, 'console-ban')
  await page.getByRole('radio', { name: 'For a week' }).click()
  await answer(page, 'Ban')
  await page.getByText(/^Banned until/).waitFor()
  await isAccepted(false)
  await isFine(window, 'console-banned')
  await page.getByRole('button', { name: 'Change ban…' }).click()
  await page.getByRole('radio', { name: 'For good' }).click()
  await answer(page, 'Ban')
  await page.getByText('Banned for good', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Unban…' }).click()
  await answer(page, 'Unban')
  await page.getByText('Not banned').waitFor()
  await isAccepted(true)

  await page.getByRole('button', { name: 'Revoke tokens…' }).click()
  await answer(page, 'Revoke')
  await page.getByText(/issued before .* are refused/).waitFor()
  await isAccepted(false)
})
