import { afterAll, beforeAll, expect, test } from 'vitest'
import { directConversationId } from '../../src/domain/conversations/conversation-id.ts'
import type { ClientMessageId, MessageId, UserId } from '../../src/protocol/ids.ts'
import { createStoresDynamo } from '../../src/store/dynamo/stores.ts'
import { connectDynamo } from '../kit/services/dynamodb.ts'
import { sharedService } from '../kit/shared-services.ts'
import { demoOfThisFile, strangers } from './kit.ts'
import { type ChatWindow, patience } from './window.ts'

// A chat that is far longer than what a page loads. Bob has read half of it, and the last message answers one near its beginning.

const count = 400
const readUpTo = 250
const quotedSeq = 20
const endpoint = await sharedService('dynalite')
const dynamo = connectDynamo(endpoint)
const demo = demoOfThisFile({
  ownServer: { DYNAMODB_ENDPOINT: endpoint, TABLE_PREFIX: dynamo.tablePrefix, CREATE_TABLES: 'true' },
})
const { alice, bob } = strangers()
const bodyOf = (seq: number) => `No. ${seq}`

beforeAll(async () => {
  const members = [alice.id as UserId, bob.id as UserId] as const
  const conversationId = directConversationId(...members)
  const beganAtMs = Date.now() - count * 60_000
  const { conversations, memberships, boundaries, messages } = createStoresDynamo(dynamo)
  await conversations.create({ id: conversationId, kind: 'DIRECT', members })
  for (let seq = 1; seq <= count; seq += 1) {
    await messages.put({
      kind: 'message',
      conversationId,
      seq,
      messageId: String(seq) as MessageId,
      clientMessageId: `no-${seq}` as ClientMessageId,
      senderId: members[0],
      body: bodyOf(seq),
      sentAtMs: beganAtMs + seq * 60_000,
      ...(seq === count && { replyToSeq: quotedSeq }),
    })
  }
  for (const userId of members) await memberships.add(userId, { conversationId, joinedSeq: 0 })
  await boundaries.read({ userId: members[0], conversationId }, count)
  await boundaries.read({ userId: members[1], conversationId }, readUpTo)
})
afterAll(() => dynamo.client.close())

/** The message itself, not one that quotes it. */
const messageIn = ({ page, messages }: ChatWindow, body: string) =>
  messages.getByRole('article').filter({ has: page.locator('[dir=auto] > span').getByText(body, { exact: true }) })

const isInViewOf = (window: ChatWindow, body: string) =>
  expect
    .poll(async () => {
      const [box, log] = [await messageIn(window, body).boundingBox(), await window.messages.boundingBox()]
      return box && log ? box.y >= log.y && box.y + box.height <= log.y + log.height : false
    }, patience)
    .toBe(true)

test('a chat leads to the first unread message, to a quoted one, and back to the newest', async () => {
  const his = await demo.open(bob, { with: alice })
  const { page } = his
  const isInView = (body: string) => isInViewOf(his, body)
  await isInView(bodyOf(count))
  await his.keep('jumping-opened')

  await page.getByRole('button', { name: '99+ new messages' }).click()
  await isInView(bodyOf(readUpTo + 1))
  const divided = his.messages.locator('[data-row]').filter({ hasText: '99+ new messages' })
  await divided.getByText(bodyOf(readUpTo + 1), { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: '99+ new messages' }).count()).toBe(0)
  await his.keep('jumping-first-unread')

  // What comes meanwhile is not shown here: it is not next to what is shown.
  const hers = await demo.open(alice, { with: bob })
  await hers.says('One more')
  await hers.ticks('One more', 'Delivered')
  expect(await his.article('One more').count()).toBe(0)
  await page.getByRole('button', { name: /^Jump to newest/ }).click()
  await isInView('One more')
  await hers.ticks('One more', 'Read')

  await his.article(bodyOf(count)).getByRole('button', { name: 'In reply to Alice' }).click()
  await isInView(bodyOf(quotedSeq))
  await his.keep('jumping-quote')
  expect(await his.article(bodyOf(count)).count()).toBe(0)

  // From there the chat is read on in both directions.
  await his.messages.evaluate((log) => log.scrollTo(0, 0))
  await his.messages.getByText(/^This is where your chat with .* begins/).waitFor()
  const readDown = () =>
    his.messages.evaluate((log) => {
      log.scrollBy(0, log.clientHeight)
      return log.textContent?.includes('One more')
    })
  await expect.poll(readDown, { ...patience, interval: 50 }).toBe(true)

  // Writing leads back as well, also when the list has only just scrolled up to the quoted message.
  await his.field.fill('Here I am')
  const send = await page.getByRole('button', { name: 'Send' }).elementHandle()
  await his.messages.evaluate((log, send) => {
    const sendWhenUp = () => {
      if (log.scrollTop > log.scrollHeight / 2) return
      log.removeEventListener('scroll', sendWhenUp)
      ;(send as HTMLButtonElement).click()
    }
    log.addEventListener('scroll', sendWhenUp)
  }, send)
  await his.article(bodyOf(count)).getByRole('button', { name: 'In reply to Alice' }).click()
  await isInView('Here I am')
  await isInView('One more')
})

test('writing leads back also while the way to a quoted message is still being read', async () => {
  const his = await demo.open(bob, { with: alice, gated: true })
  const jump = his.holds('"aroundSeq"')
  await his.article(bodyOf(count)).getByRole('button', { name: 'In reply to Alice' }).click()
  await jump.arrived
  await his.says('Never mind')
  await his.ticks('Never mind', 'Sent')
  jump.release()
  await his.messages.and(his.page.locator('[aria-busy=false]')).waitFor()
  await isInViewOf(his, 'Never mind')
})
