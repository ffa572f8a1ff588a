import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { isFine } from '../demo/is-fine.ts'
import { consoleOfThisFile, freshIds, isFineOnPhone } from './kit.ts'

const withFeed = consoleOfThisFile({ EVENTS: 'on' })

const say = (from: string, to: string, body: string) =>
  withFeed.as(from, 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { duplicate } }', {
    input: { to: { userId: to }, clientMessageId: randomUUID(), body },
  })

test('what happens is shown as it happens, and after a pause and a break nothing is missing', async () => {
  const { grace, ada } = freshIds('grace', 'ada')
  const window = await withFeed.open('#/events', { gated: true })
  const { page } = window
  const data = page.locator('pre')
  const bodies = async () => {
    const texts = await data.allTextContents()
    return texts.map((text) => (JSON.parse(text) as { body?: string }).body).filter((body) => body !== 'Is it open?')
  }
  const shows = (...expected: string[]) => expect.poll(bodies, { timeout: 60_000 }).toEqual(expected)
  const filter = page.getByRole('combobox', { name: 'Type' })
  await page.getByText('Live', { exact: true }).waitFor()
  await filter.selectOption('message.sent')
  // The socket is open. When the server has come to what it was asked there, nobody is told.
  await expect.poll(() => say(ada, grace, 'Is it open?').then(() => data.count())).toBeGreaterThan(0)
  await say(grace, ada, 'One')
  await shows('One')
  await page.getByText('Data', { exact: true }).first().click()
  await isFine(window, 'console-events')
  await isFineOnPhone(window, 'console-events')

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused', { exact: true }).waitFor()
  await say(grace, ada, 'Two')
  await page.getByRole('button', { name: 'Go on' }).click()
  await shows('Two', 'One')

  await window.losesTheServer()
  await page.getByText('Not connected', { exact: true }).waitFor()
  await say(grace, ada, 'Three')
  await window.findsTheServer()
  await shows('Three', 'Two', 'One')

  await filter.selectOption('user.erased')
  await shows()
  await filter.selectOption('all')
  await page.getByRole('listitem').filter({ hasText: '"body": "Two"' }).getByRole('link').click()
  await page.getByRole('log').locator('[aria-current]').getByText('Two', { exact: true }).waitFor()
})
