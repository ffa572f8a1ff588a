import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { isFine } from '../demo/is-fine.ts'
import { startWebhookReceiver } from '../kit/services/webhook-receiver.ts'
import { answer, consoleOfThisFile, freshIds, isFineOnPhone } from './kit.ts'

const at = consoleOfThisFile({ EVENTS: 'on' })

test('a webhook is made, followed, switched off and on, and deleted', async () => {
  const receiver = await startWebhookReceiver()
  onTestFinished(receiver.stop)
  const { grace, ada } = freshIds('grace', 'ada')
  const say = (body: string) =>
    at.as(grace, 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { duplicate } }', {
      input: { to: { userId: ada }, clientMessageId: randomUUID(), body },
    })
  const isTaken = (body: string) =>
    expect.poll(() => receiver.taken().map(({ data }) => data.body), { timeout: 60_000 }).toContain(body)

  const window = await at.open('#/webhooks')
  const { page } = window
  await page.getByText('There are none.').waitFor()
  await page.getByRole('button', { name: 'New webhook…' }).click()
  const making = page.getByRole('dialog', { name: 'New webhook' })
  await making.getByLabel('Address').fill('https://10.0.0.1/parley')
  await making.getByRole('checkbox', { name: 'message.sent' }).check()
  await making.getByRole('button', { name: 'Create' }).click()
  await making.getByRole('alert').waitFor()
  await isFine(window, 'console-new-webhook')
  await isFineOnPhone(window, 'console-new-webhook')
  await making.getByLabel('Address').fill(receiver.url)
  await making.getByRole('button', { name: 'Create' }).click()

  const shown = page.getByRole('dialog', { name: 'The secret of the webhook' })
  const secret = (await shown.getByText(/^whsec_/).textContent()) ?? ''
  receiver.verifies(secret)
  await isFine(window, 'console-secret')
  for (const key of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(key)
  await shown.getByRole('button', { name: 'I have it' }).click()
  await shown.waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(secret)

  await say('One')
  await isTaken('One')
  expect(receiver.problems).toEqual([])
  await isFine(window, 'console-webhooks')
  await page.getByRole('link', { name: receiver.url }).click()
  await page.getByText('Nothing was given up.').waitFor()
  receiver.says(() => 500)
  await say('Two')
  await page.getByText(/seconds? behind$/).waitFor()
  await page.getByRole('button', { name: 'Disable…' }).click()
  await answer(page, 'Disable')
  await page.getByText('Disabled', { exact: true }).waitFor()
  await isFine(window, 'console-webhook')
  await isFineOnPhone(window, 'console-webhook')
  receiver.says(() => 204)
  await page.getByRole('button', { name: 'Enable…' }).click()
  await answer(page, 'Enable')
  await isTaken('Two')
  await page.getByText('Up to date').waitFor()

  await page.getByRole('button', { name: 'Redeliver…' }).click()
  await answer(page, 'Redeliver')
  await page.getByText('It is on its way again.').waitFor()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await answer(page, 'Delete')
  await page.getByText('There are none.').waitFor()
})

/** The server gives a delivery up after three days, so that this one is made up. */
const givenUp = {
  __typename: 'FailedDelivery',
  id: 'failed-1',
  attempts: 79,
  lastStatus: 503,
  lastError: 'The endpoint answered 503.',
  givenUpAt: '2026-01-31T12:00:00.000Z',
  event: {
    __typename: 'Event',
    id: 'evt_grp_1_7',
    type: 'message.sent',
    occurredAt: '2026-01-28T12:00:00.000Z',
    conversationId: 'grp_1',
    seq: 7,
    data: { body: 'Nobody took it' },
    position: 'AQAA',
  },
}

test('what was given up says why, and leads to its place', async () => {
  const { createWebhook } = await at.admin<{ createWebhook: { webhook: { id: string } } }>(
    'mutation { createWebhook(input: { url: "http://localhost:9/parley" }) { webhook { id } } }',
  )
  const { id } = createWebhook.webhook
  const window = await at.open()
  const { page } = window
  await page.route('**/admin/graphql', (route) => {
    if (!route.request().postData()?.includes('query FailedDeliveries')) return route.fallback()
    const pageInfo = { __typename: 'PageInfo', hasNextPage: false, endCursor: null }
    const edges = [{ __typename: 'FailedDeliveryEdge', node: givenUp }]
    return route.fulfill({
      json: { data: { failedDeliveries: { __typename: 'FailedDeliveryConnection', edges, pageInfo } } },
    })
  })
  await page.goto(`${at.url()}/admin#/webhooks/${id}`)
  await page.getByText(/after 79 attempts, the last answered 503/).waitFor()
  await isFine(window, 'console-failed')
  expect(await page.getByRole('link', { name: 'grp_1 7' }).getAttribute('href')).toBe('#/conversations/grp_1?seq=7')
})
