import { expect, test } from 'vitest'
import { directConversationId } from '../../src/domain/conversations/conversation-id.ts'
import type { UserId } from '../../src/protocol/ids.ts'
import { banner, click, isOwner, pushTo, shownAtLast, shows, withdrawal } from './banners.ts'
import { demoOfThisFile, type Someone, strangers } from './kit.ts'
import { patience } from './window.ts'

// Pushes come from the browser's own tools, for there is no push service here; everything after that is as it is.

const demo = demoOfThisFile()
const context = { permissions: ['notifications'] }

const chatOf = (one: Someone, other: Someone): string => directConversationId(one.id as UserId, other.id as UserId)

test('ten pushes of a conversation are one banner with the last text; three conversations are three', async () => {
  const his = await demo.open(strangers().bob, { context })
  const push = await pushTo(his)
  for (let seq = 1; seq <= 10; seq += 1) await push(banner('dm_1', seq, 'Alice', `message ${seq}`))
  await shows(his, ['Alice: message 10'])
  await push(banner('dm_2', 1, 'Carol', 'hello'))
  await push(banner('grp_3', 7, 'Tea', 'Dave: at four'))
  await shows(his, ['Alice: message 10', 'Carol: hello', 'Tea: Dave: at four'])
  const looks = await his.page.evaluate(async () => {
    const [one] = await (await navigator.serviceWorker.ready).getNotifications({ tag: 'dm_2' })
    return { icon: one?.icon, data: one?.data }
  })
  expect(looks.data).toEqual({ conversationId: 'dm_2', seq: 1 })
  const icon = await his.page.request.get(looks.icon ?? '')
  expect([icon.status(), icon.headers()['content-type']]).toEqual([200, 'image/png'])
})

test('what comes late replaces nothing newer, shown, dismissed or withdrawn', async () => {
  const his = await demo.open(strangers().bob, { context })
  const push = await pushTo(his)
  await push(banner('dm_1', 5, 'Alice', 'five'))
  await push(banner('dm_1', 4, 'Alice', 'four'))
  await push(banner('dm_1', 5, 'Alice', 'five once more'))
  expect(await shownAtLast(his, push)).toEqual(['Alice: five'])

  await his.page.evaluate(async () => {
    for (const each of await (await navigator.serviceWorker.ready).getNotifications()) each.close()
  })
  await push(banner('dm_1', 3, 'Alice', 'three'))
  expect(await shownAtLast(his, push)).toEqual([])

  await push(withdrawal('dm_2', 8))
  await push(banner('dm_2', 8, 'Carol', 'read long ago'))
  await push(banner('dm_2', 9, 'Carol', 'new'))
  await shows(his, ['Carol: new'])
})

test('what was read elsewhere is withdrawn, up to there and only there', async () => {
  const his = await demo.open(strangers().bob, { context })
  const push = await pushTo(his)
  await push(banner('dm_1', 5, 'Alice', 'five'))
  await push(banner('dm_2', 5, 'Carol', 'hello'))
  await push(withdrawal('dm_1', 4))
  expect(await shownAtLast(his, push)).toEqual(['Alice: five', 'Carol: hello'])
  await push(withdrawal('dm_1', 5))
  await shows(his, ['Carol: hello'])
})

test('a push nobody can read is shown all the same', async () => {
  const his = await demo.open(strangers().bob, { context })
  const push = await pushTo(his)
  await push('not JSON')
  await push({ seq: 'a' })
  await shows(his, ['New message: '])
})

test('there is no banner for the chat that is before one’s eyes, and one for every other', async () => {
  const { alice, bob } = strangers()
  const chat = chatOf(alice, bob)
  const hers = await demo.open(alice, { with: bob })
  await hers.says('hello')
  const his = await demo.open(bob, { context })
  await isOwner(his, bob)
  const push = await pushTo(his)
  await his.opens('Alice')
  await his.sees(['hello'])
  await push(banner(chat, 20, 'Alice', 'seen'))
  await push(banner('dm_2', 1, 'Carol', 'not seen'))
  await shows(his, ['Carol: not seen'])

  // Somebody else in this browser has the same chat open.
  await demo.open(alice, { with: bob, beside: his })
  await his.page.getByRole('link', { name: 'Switch person' }).click()
  await push(banner(chat, 21, 'Alice', 'for Bob'))
  await shows(his, ['Alice: for Bob', 'Carol: not seen'])
})

test('reading a chat here takes its banner away', async () => {
  const { alice, bob } = strangers()
  const hers = await demo.open(alice, { with: bob })
  await hers.says('one', 'two')
  const his = await demo.open(bob, { context })
  await isOwner(his, bob)
  const push = await pushTo(his)
  await his.chat('Alice').getByText('2 unread').waitFor()
  await push(banner(chatOf(alice, bob), 2, 'Alice', 'two'))
  await push(banner('dm_2', 1, 'Carol', 'hello'))
  await shows(his, ['Alice: two', 'Carol: hello'])
  await his.opens('Alice')
  await shows(his, ['Carol: hello'])
})

test('a click on a banner leads to the chat: in the window that is there, or in a new one', async () => {
  const { alice, bob } = strangers()
  const chat = chatOf(alice, bob)
  const hers = await demo.open(alice, { with: bob })
  await hers.says('hello')
  const his = await demo.open(bob, { context })
  await isOwner(his, bob)
  const push = await pushTo(his)
  await his.chat('Alice').waitFor()
  const first = his.page.url()
  await push(banner(chat, 1, 'Alice', 'hello'))
  await shows(his, ['Alice: hello'])
  expect(await click(his, chat)).toBe(`focused ${first}`)
  await his.page.getByRole('log', { name: 'Messages with Alice' }).waitFor()
  await shows(his, [])

  // With two windows of his, the one that has the chat open.
  await his.page.goto(first)
  await his.isConnected()
  const second = await demo.visit(`/?${new URLSearchParams({ as: bob.id, name: bob.name })}#second`, { beside: his })
  await second.isConnected()
  await push(banner(chat, 2, 'Alice', 'again'))
  await shows(second, ['Alice: again'])
  await his.opens('Alice')
  expect(await click(second, chat)).toBe(`focused ${first}`)
  await his.page.goto(first)
  await his.isConnected()
  await push(banner(chat, 3, 'Alice', 'and again'))
  await shows(second, ['Alice: and again'])
  await second.opens('Alice')
  expect(await click(second, chat)).toBe(`focused ${first}#second`)

  // With none of his, a new one; that of somebody else in this browser stays as it is.
  const alices = await demo.open(alice, { beside: his })
  await his.page.close()
  await second.page.close()
  const pushAgain = await pushTo(alices)
  await pushAgain(banner(chat, 4, 'Alice', 'at last'))
  await shows(alices, ['Alice: at last'])
  const opened = await click(alices, chat)
  expect(opened).toBe(`opened /?${new URLSearchParams({ as: bob.id, name: bob.name, chat })}`)
  const anew = await demo.visit(opened.replace('opened ', ''), { beside: alices })
  await anew.page.getByRole('log', { name: 'Messages with Alice' }).waitFor()
  await expect.poll(() => anew.chat('Alice').getAttribute('aria-current'), patience).toBe('page')
})
