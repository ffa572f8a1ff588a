import { afterAll, beforeAll, expect, test } from 'vitest'
import { directConversationId } from '../../src/domain/conversations/conversation-id.ts'
import type { ClientMessageId, MessageId, UserId } from '../../src/protocol/ids.ts'
import { createStoresDynamo } from '../../src/store/dynamo/stores.ts'
import type { Item, Key } from '../../src/store/rows/tables.ts'
import { connectDynamo } from '../kit/services/dynamodb.ts'
import { sharedService } from '../kit/shared-services.ts'
import { demoOfThisFile, strangers } from './kit.ts'
import { patience } from './window.ts'

/** `npm run proofs` reads ten thousand. */
const count = Number(process.env.LONG_CHAT_MESSAGES ?? 1000)
const endpoint = await sharedService('dynalite')
const dynamo = connectDynamo(endpoint)
const demo = demoOfThisFile({
  ownServer: { DYNAMODB_ENDPOINT: endpoint, TABLE_PREFIX: dynamo.tablePrefix, CREATE_TABLES: 'true' },
})
const { alice, bob } = strangers()

beforeAll(writeLog)
afterAll(() => dynamo.client.close())

test(`${count} messages are read from the newest to the first, without a gap and without a crowd`, async () => {
  const his = await demo.open(bob, { with: alice, context: { viewport: { width: 1000, height: 2400 } } })
  const { page } = his
  await his.article(bodyOf(count)).waitFor()
  const { screens, texts, mostMounted } = await his.messages.evaluate(readUpwards)
  await his.messages.getByText(/^This is where your chat with .* begins/).waitFor()
  await his.messages.getByRole('heading').first().waitFor()
  expect(screens[0]?.last).toBe(count)
  expect(screens.at(-1)?.first).toBe(1)
  expect(screens.filter(({ unbroken }) => !unbroken)).toEqual([])
  // Each begins at or above where the one before it did, and reaches down to it.
  expect(screens.filter(({ first }, i) => first > (screens[i - 1]?.first ?? count))).toEqual([])
  expect(screens.filter(({ last }, i) => last < (screens[i - 1]?.first ?? count) - 1)).toEqual([])
  expect(texts).toEqual(Array.from({ length: count }, (_, i) => bodyOf(i + 1)))
  expect(mostMounted).toBeLessThan(150)

  await page.getByRole('button', { name: 'Jump to newest' }).click()
  await his.article(bodyOf(count)).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Jump to newest' }).count(), patience).toBe(0)

  // Whoever reads further up is told of what comes, and stays where they are.
  await page.mouse.move(700, 800)
  await page.mouse.wheel(0, -3000)
  await page.getByRole('button', { name: 'Jump to newest' }).waitFor()
  const hers = await demo.open(alice, { with: bob })
  await hers.says('One more')
  await page.getByRole('button', { name: 'Jump to newest, 1 new' }).waitFor()
  expect(await his.article('One more').count()).toBe(0)
  await hers.ticks('One more', 'Delivered')
  await page.getByRole('button', { name: 'Jump to newest, 1 new' }).click()
  await his.article('One more').waitFor()
  await hers.ticks('One more', 'Read')
})

/** One line mostly, sometimes more. */
function bodyOf(seq: number): string {
  return seq % 9 === 0 ? `No. ${seq} is ${'a little longer than '.repeat(seq % 12)}most` : `No. ${seq}`
}

type Screen = { first: number; last: number; unbroken: boolean }

/** In the page: goes up, a little less than a screen at a time, and notes what is seen on each. */
async function readUpwards(log: Element) {
  const screens: Screen[] = []
  const texts: string[] = []
  let mostMounted = 0
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const numberOf = (element: Element) => Number(/^No\. (\d+)/.exec(element.textContent ?? '')?.[1])
  const { top, bottom } = log.getBoundingClientRect()
  const visible = () =>
    [...log.querySelectorAll('article [dir=auto] > span:first-child')].filter((element) => {
      const box = element.getBoundingClientRect()
      return box.bottom > top && box.top < bottom
    })
  // At most a day's name stands above the first.
  const isFilled = ([first]: Element[]) => first && first.getBoundingClientRect().top < top + 150
  /** Nothing is loading, and two looks see the same. */
  async function settled(): Promise<number[]> {
    for (let before = ''; ; ) {
      const seen = visible()
      const numbers = seen.map(numberOf)
      const now = `${numbers} ${log.scrollTop} ${log.getAttribute('aria-busy')}`
      if (now === before && isFilled(seen) && now.endsWith('false')) return numbers
      before = now
      await frame()
    }
  }
  for (;;) {
    const numbers = await settled()
    for (const element of visible()) texts[numberOf(element) - 1] = element.textContent ?? ''
    const [first = Number.NaN, last = Number.NaN] = [numbers[0], numbers.at(-1)]
    screens.push({ first, last, unbroken: numbers.every((number, i) => number === first + i) })
    mostMounted = Math.max(mostMounted, log.querySelectorAll('article').length)
    if (first === 1) return { screens, texts, mostMounted }
    log.scrollBy(0, -0.8 * log.clientHeight)
    await frame()
  }
}

/** Straight into the tables, as if they had written for a week: nobody waits for that many sends. */
async function writeLog(): Promise<void> {
  const members = [alice.id as UserId, bob.id as UserId] as const
  const conversationId = directConversationId(...members)
  const beganAtMs = Date.now() - count * 60_000
  const items = Array.from({ length: count }, (_, i): Key<'messages'> & Partial<Item<'messages'>> => ({
    conversation_id: conversationId,
    seq: i + 1,
    kind: 'message',
    message_id: String(i + 1) as MessageId,
    client_message_id: `no-${i + 1}` as ClientMessageId,
    sender_id: members[i % 5 < 3 ? 0 : 1],
    body: bodyOf(i + 1),
    sent_at: new Date(beganAtMs + i * 60_000).toISOString(),
  }))
  const { conversations, memberships, boundaries } = createStoresDynamo(dynamo)
  await conversations.create({ id: conversationId, kind: 'DIRECT', members })
  await Promise.all(Array.from({ length: count / 25 }, (_, i) => putAll(items.slice(i * 25, (i + 1) * 25))))
  for (const userId of members) {
    await boundaries.read({ userId, conversationId }, count)
    await memberships.add(userId, { conversationId, joinedSeq: 0 })
  }
}

async function putAll(items: (Key<'messages'> & Partial<Item<'messages'>>)[]): Promise<void> {
  const requests = { [`${dynamo.tablePrefix}messages`]: items.map((Item) => ({ PutRequest: { Item } })) }
  const { UnprocessedItems = {} } = await dynamo.client.call('BatchWriteItem', 'messages', { RequestItems: requests })
  expect(UnprocessedItems).toEqual({})
}
