import { expect, test } from 'vitest'
import { demoOfThisFile, strangers } from './kit.ts'

const demo = demoOfThisFile()

test('a message in a group is reported, its sender blocked with it, and what they say is hidden until it is asked for', async () => {
  const { alice, bob } = strangers()
  const [hers, his] = await Promise.all([demo.open(alice), demo.open(bob)])
  await hers.makesGroup('Tea', [bob.id])
  await hers.says('Tea at four?')
  await his.opens('Tea')
  await his.says('Buy my pills')
  await hers.article('Buy my pills').waitFor()

  await hers.does('Buy my pills', 'Report')
  const dialog = hers.page.getByRole('dialog', { name: 'Report this message by Bob' })
  await dialog.getByRole('combobox', { name: 'Why?' }).selectOption('Insults or threats')
  await dialog.getByRole('textbox', { name: 'Anything to add?' }).fill('Every day')
  await dialog.getByRole('checkbox', { name: 'Block Bob, too' }).check()
  await dialog.getByRole('button', { name: 'Report' }).click()
  await dialog.getByText('Bob is not told.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()

  const hidden = hers.messages.getByText('Said by somebody you have blocked')
  await hidden.waitFor()
  expect(await hers.messages.getByText('Buy my pills').count()).toBe(0)
  await hers.chat('Tea').getByText('Said by somebody you have blocked').waitFor()
  await his.says('And my oil')
  await expect.poll(() => hidden.count()).toBe(2)
  await hers.messages.getByRole('button', { name: 'Show' }).first().click()
  await hers.article('Buy my pills').waitFor()
  expect(await hers.messages.getByText('And my oil').count()).toBe(0)
  // Bob notices nothing.
  await hers.says('Who said that?')
  await his.article('Who said that?').waitFor()
})
