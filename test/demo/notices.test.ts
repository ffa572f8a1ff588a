import { expect, test } from 'vitest'
import { demoOfThisFile, strangers } from './kit.ts'
import { patience } from './window.ts'

const demo = demoOfThisFile()

test('changes of a group stand between its messages, for those who are in it', async () => {
  const { alice, bob, carol } = strangers()
  const [hers, his] = await Promise.all([demo.open(alice), demo.open(bob)])
  await hers.makesGroup('Tea', [bob.id])
  await hers.messages.getByText('You created “Tea”').waitFor()
  await hers.page.getByText('Say hello to everybody in “Tea”.').waitFor()
  await hers.says('Tea at four?')
  await his.opens('Tea')
  await his.messages.getByText('Alice created “Tea”').waitFor()

  const carols = await demo.open(carol)
  await hers.page.getByRole('button', { name: 'Group info' }).click()
  const info = hers.page.getByRole('dialog', { name: 'Group info' })
  await info.getByRole('textbox', { name: 'People' }).fill(carol.id)
  await info.getByRole('button', { name: 'Add', exact: true }).click()
  await info.getByRole('button', { name: 'Add 1 person' }).click()
  await his.messages.getByText('Alice added Carol').waitFor()
  await hers.messages.getByText('You added Carol').waitFor()
  await info.getByRole('textbox', { name: 'Title' }).fill('Tea and cake')
  await info.getByRole('button', { name: 'Rename' }).click()
  await his.messages.getByText('Alice changed the title to “Tea and cake”').waitFor()
  await info.getByRole('button', { name: 'Close' }).click()

  // Carol sees that she was added, and nothing from before; a notice is neither unread nor what was said last.
  await carols.chat('Tea and cake').waitFor()
  await carols.isTitled('Carol · Parley')
  await carols.opens('Tea and cake')
  await carols.messages.getByText('Alice added you').waitFor()
  expect(await carols.messages.getByText('Alice created').count()).toBe(0)
  await hers.says('Welcome, Carol')
  await carols.sees(['Welcome, Carol'])
  expect(await carols.messages.getByRole('button', { name: 'Options for this message' }).count()).toBe(1)
  await his.keep('notices')
  await carols.page.getByRole('button', { name: 'Group info' }).click()
  await carols.page.getByRole('button', { name: 'Leave group' }).click()
  await carols.page
    .getByRole('dialog', { name: 'Leave “Tea and cake”?' })
    .getByRole('button', { name: 'Leave' })
    .click()
  // She and Bob share nothing any more, so that the server no longer tells him her name.
  await his.messages.getByText(`${carol.id} left`).waitFor()
  await his.page.reload()
  const renamed = 'Alice changed the title to “Tea and cake”'
  for (const words of ['Alice created “Tea”', `Alice added ${carol.id}`, renamed, `${carol.id} left`])
    await his.messages.getByText(words).waitFor()
  await expect.poll(() => his.chat('Tea and cake').textContent(), patience).toContain('Welcome, Carol')
})
