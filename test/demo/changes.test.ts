import { expect, test } from 'vitest'
import { demoOfThisFile, strangers } from './kit.ts'
import { patience } from './window.ts'

const demo = demoOfThisFile()

test('a reply leads to what it answers, a reaction is seen by both and taken back', async () => {
  const { alice, bob } = strangers()
  const [hers, his] = await Promise.all([demo.open(alice, { with: bob }), demo.open(bob, { with: alice })])
  await hers.says('Shall we meet?', 'At eight?')
  await his.article('At eight?').waitFor()
  await his.does('Shall we meet?', 'Reply')
  await his.says('Gladly')
  await hers.article('Gladly').getByRole('button', { name: 'In reply to You Shall we meet?' }).waitFor()

  await hers.does('Gladly', '❤️')
  const heart = his.article('Gladly').getByRole('button', { name: '❤️ 1', exact: true })
  await heart.click()
  await hers.article('Gladly').getByRole('button', { name: '❤️ 2, you reacted' }).click()
  await his.article('Gladly').getByRole('button', { name: '❤️ 1, you reacted' }).click()
  await expect.poll(() => hers.article('Gladly').getByRole('list', { name: 'Reactions' }).count(), patience).toBe(0)
})

test('an edit and a deletion are seen live, and by somebody who was offline meanwhile', async () => {
  const { alice, bob } = strangers()
  const hers = await demo.open(alice, { with: bob })
  const his = await demo.open(bob, { with: alice, gated: true })
  await hers.says('Tea at for', 'Never mind', 'Bye')
  await his.article('Bye').waitFor()
  await hers.does('Tea at for', 'Edit')
  const field = hers.page.getByRole('textbox', { name: 'Edit message' })
  await field.fill('Tea at four')
  await field.press('Enter')
  await his.article('Tea at four').getByText('edited').waitFor()

  await his.losesTheServer()
  await his.isOffline()
  await hers.does('Tea at four', 'Edit')
  await field.fill('Tea at five')
  await field.press('Enter')
  await hers.does('Never mind', 'Delete')
  await hers.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await hers.messages.getByText('This message was deleted').waitFor()
  await hers.article('Tea at five').getByText('edited').waitFor()
  expect(await his.bodies()).toEqual(['Tea at four', 'Never mind', 'Bye'])

  await his.findsTheServer()
  await his.article('Tea at five').getByText('edited').waitFor()
  await his.messages.getByText('This message was deleted').waitFor()
  expect(await his.article('Never mind').count()).toBe(0)
})

test('who writes is seen to, until the message is there', async () => {
  const { alice, bob, carol } = strangers()
  const [hers, his] = await Promise.all([demo.open(alice), demo.open(bob)])
  await hers.makesGroup('Tea', [bob.id, carol.id])
  await hers.says('Hello')
  await his.opens('Tea')
  await his.article('Hello').waitFor()
  const header = hers.page.locator('header').filter({ has: hers.page.getByRole('heading', { name: 'Tea' }) })
  await his.field.pressSequentially('I am')
  await header.getByText('Bob is typing').waitFor()
  await his.field.press('Enter')
  await hers.article('I am').waitFor()
  await header.getByText('and you · 3 members').waitFor()
  await expect.poll(() => header.getByText('is typing').count(), patience).toBe(0)
})
