import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { isFine } from '../demo/is-fine.ts'
import { answer, consoleOfThisFile, freshIds, isFineOnPhone } from './kit.ts'

const at = consoleOfThisFile()

type Sent = { sendMessage: { message: { conversationId: string; seq: number } } }

async function say(from: string, to: string, body: string) {
  const { sendMessage } = await at.as<Sent>(
    from,
    'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { conversationId seq } } }',
    { input: { to: { userId: to }, clientMessageId: randomUUID(), body } },
  )
  return sendMessage.message
}

const report = (by: string, input: { conversationId: string; seq: number }, more: object) =>
  at.as(by, 'mutation ($input: ReportMessageInput!) { reportMessage(input: $input) { reportId } }', {
    input: { ...input, ...more },
  })

test('a report shows the message as it was and leads to its place; its author is banned, and it is resolved', async () => {
  const { ada, mallory } = freshIds('ada', 'mallory')
  const rude = await say(mallory, ada, 'Something rude')
  await report(ada, rude, { reason: 'SELF_HARM', comment: 'This goes on for days' })
  await at.as(mallory, 'mutation ($input: EditMessageInput!) { editMessage(input: $input) { message { body } } }', {
    input: { ...rude, clientMessageId: randomUUID(), body: 'Something nice' },
  })
  const window = await at.open('#/reports')
  const { page } = window
  const mine = page.getByRole('listitem').filter({ hasText: mallory })
  await mine.getByText('Self-harm').waitFor()
  await mine.getByText('Something rude').waitFor()
  await mine.getByText('This goes on for days').waitFor()
  await isFine(window, 'console-reports')
  await isFineOnPhone(window, 'console-reports')

  await mine.getByRole('link', { name: 'Show in its place' }).click()
  await page.getByRole('log').locator('[aria-current]').getByText('Something nice').waitFor()
  await page.goBack()
  await mine.getByRole('button', { name: `Ban ${mallory}…` }).click()
  await page.getByRole('radio', { name: 'For good' }).click()
  await answer(page, 'Ban')
  await page.getByText(`${mallory} is banned for good.`).waitFor()

  await mine.getByRole('button', { name: 'Resolve…' }).click()
  await answer(page, 'Resolve', { 'What was done': 'Banned for good' })
  await mine.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Resolved', exact: true }).click()
  await mine.getByText('Banned for good').waitFor()
  expect(await mine.getByRole('button', { name: 'Resolve…' }).count()).toBe(0)
})

test('a long queue is shown page by page', async () => {
  const { grace, trudy } = freshIds('grace', 'trudy')
  for (let i = 1; i <= 27; i += 1) await report(grace, await say(trudy, grace, `Buy ${i}`), { reason: 'SPAM' })
  const { page } = await at.open('#/reports')
  const shown = page.getByRole('listitem').filter({ hasText: trudy })
  await page.getByText('Buy 27', { exact: true }).waitFor()
  const before = await shown.count()
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText('Buy 1', { exact: true }).waitFor()
  expect([before, await shown.count()]).toEqual([25, 27])
})
