import { test } from 'vitest'
import { isFine } from './is-fine.ts'
import { demoOfThisFile } from './kit.ts'

const demo = demoOfThisFile({ ownServer: {} })
test('everybody can use the page, whatever it shows', async () => {
  const [alice, bob] = [
    { id: 'alice', name: 'Alice' },
    { id: 'bob', name: 'Bob' },
  ]
  const context = { reducedMotion: 'reduce', viewport: { width: 1180, height: 780 } } as const
  const phone = { ...context, viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }

  const welcome = await demo.visit('/', { context })
  await welcome.page.getByText('authorization: Bearer ey').waitFor()
  await isFine(welcome, 'welcome')

  const hers = await demo.open(alice, { context })
  await hers.page.getByText('No chats yet').waitFor()
  await isFine(hers, 'empty')
  await hers.page.getByRole('button', { name: 'New chat' }).click()
  await isFine(hers, 'new-chat')
  await hers.page.getByRole('dialog').getByRole('link', { name: 'Bob' }).click()
  await hers.messages.waitFor()
  await isFine(hers, 'first-words')

  await hers.says('Train’s in the tunnel again. Did you get my last one?', 'The way is at https://parley.example/map')
  const his = await demo.open(bob, { context, blocked: 'websocket', until: 'Online by server-sent events' })
  await his.opens('Alice')
  await his.messages.getByText('2 new messages').waitFor()
  await isFine(his, 'new-messages')
  await his.says('Both of them, in order', '👍', 'And this one is so long that it needs more than one line. '.repeat(4))
  await hers.article('👍').waitFor()
  await hers.says('See you at eight')
  await hers.ticks('See you at eight', 'Read')
  await isFine(hers, 'conversation')
  await hers.page.getByRole('button', { name: 'Emoji' }).click()
  await isFine(hers, 'emoji')
  await hers.page.keyboard.press('Escape')

  await his.isRefused('Alice has blocked you.')
  await his.says('Are you cross with me?')
  await his.ticks('Are you cross with me?', 'Not sent')
  await isFine(his, 'failed')

  await hers.losesItsNetwork()
  await hers.isOffline()
  await hers.says('Here comes the tunnel', 'Tell me when you see this')
  await hers.ticks('Tell me when you see this', 'Waiting to be sent')
  await isFine(hers, 'offline')

  const pocket = await demo.open(alice, { context: phone })
  await pocket.chat('Bob').waitFor()
  await isFine(pocket, 'phone-list')
  await pocket.opens('Bob')
  await pocket.ticks('See you at eight', 'Read')
  await isFine(pocket, 'phone-chat')
  await pocket.losesItsNetwork()
  await pocket.isOffline()
  await isFine(pocket, 'phone-offline')
})
