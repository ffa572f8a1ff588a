import { expect, test } from 'vitest'
import { demoOfThisFile, strangers } from './kit.ts'
import { patience } from './window.ts'

const demo = demoOfThisFile({ ownServer: {} })

test('one goes offline and writes, reloads, comes back: everything arrives once and in order', async () => {
  const { alice, bob } = strangers()
  const his = await demo.open(bob, { with: alice })
  const hers = await demo.open(alice, { with: bob, gated: true })
  await hers.says('Into the tunnel')
  await hers.ticks('Into the tunnel', 'Read')

  await hers.losesItsNetwork()
  await hers.isOffline()
  await hers.says('one', 'two', 'three')
  await hers.sees(['Into the tunnel', 'one', 'two', 'three'])
  for (const body of ['one', 'two', 'three']) await hers.ticks(body, 'Waiting to be sent')
  await his.says('Are you there?')
  await his.ticks('Are you there?', 'Sent')

  // The page can be loaded again, but the API cannot be reached.
  await hers.losesTheServer()
  await hers.findsItsNetwork()
  await hers.page.reload()
  await hers.isOffline()
  await hers.sees(['one', 'two', 'three'])
  await hers.says('four')
  for (const body of ['one', 'two', 'three', 'four']) await hers.ticks(body, 'Waiting to be sent')

  await hers.findsTheServer()
  const all = ['Into the tunnel', 'Are you there?', 'one', 'two', 'three', 'four']
  await Promise.all([hers.sees(all), his.sees(all)])
  await hers.isCalm()
  await hers.ticks('four', 'Read')
  expect(await demo.log(alice, bob)).toEqual([
    'Alice: Into the tunnel',
    'Bob: Are you there?',
    'Alice: one',
    'Alice: two',
    'Alice: three',
    'Alice: four',
  ])
})

test('the server is killed under two who write, and started again: all of it arrives once and in order', async () => {
  const { alice, bob } = strangers()
  const [his, hers] = await Promise.all([demo.open(bob, { with: alice }), demo.open(alice, { with: bob })])
  const written = (name: string, from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => `${name} ${from + i}`)
  await Promise.all([his.says(...written('Bob', 1, 3)), hers.says(...written('Alice', 1, 3))])
  await his.ticks('Bob 1', 'Read')

  for (const window of [his, hers]) window.profile.expectTrouble()
  const killing = hers.article('Alice 5').waitFor().then(demo.kill)
  await Promise.all([his.says(...written('Bob', 4, 8)), hers.says(...written('Alice', 4, 8)), killing])
  await Promise.all([his.isOffline(), hers.isOffline()])
  await Promise.all([his.says(...written('Bob', 9, 10)), hers.says(...written('Alice', 9, 10))])
  await hers.ticks('Alice 10', 'Waiting to be sent')
  await demo.start()

  await Promise.all([his.isCalm(), hers.isCalm()])
  await expect.poll(() => demo.log(alice, bob), patience).toHaveLength(20)
  const log = await demo.log(alice, bob)
  for (const name of ['Alice', 'Bob']) {
    const own = log.filter((line) => line.startsWith(name))
    expect(own).toEqual(written(name, 1, 10).map((body) => `${name}: ${body}`))
  }
  const bodies = log.map((line) => line.replace(/^.*?: /, ''))
  await Promise.all([his.sees(bodies), hers.sees(bodies)])
  await Promise.all([his.ticks('Bob 10', 'Read'), hers.ticks('Alice 10', 'Read')])
})

test('what waits in two tabs of one person is stored once', async () => {
  const { alice, bob } = strangers()
  const his = await demo.open(bob, { with: alice })
  const first = await demo.open(alice, { with: bob, gated: true })
  await first.losesTheServer()
  await first.isOffline()
  await first.says('once', 'and for all')
  await first.ticks('and for all', 'Waiting to be sent')
  const second = await demo.open(alice, { with: bob, beside: first, until: 'Offline' })
  await second.sees(['once', 'and for all'])
  await second.ticks('once', 'Waiting to be sent')

  await first.findsTheServer()
  for (const window of [his, first, second]) await window.sees(['once', 'and for all'])
  for (const window of [first, second]) await window.ticks('and for all', 'Read')
  expect(await demo.log(alice, bob)).toEqual(['Alice: once', 'Alice: and for all'])

  // Nothing is left that a third would send.
  const third = await demo.open(alice, { with: bob, beside: first })
  await third.says('last')
  for (const window of [his, first, second, third]) await window.sees(['once', 'and for all', 'last'])
})

test('where WebSockets are blocked, messages and ticks come live by server-sent events', async () => {
  const { alice, bob } = strangers()
  const his = await demo.open(bob, { with: alice })
  const hers = await demo.open(alice, { with: bob, blocked: 'websocket', until: 'Online by server-sent events' })
  await hers.says('Round the corner')
  await his.sees(['Round the corner'])
  await his.says('and back')
  await Promise.all([hers, his].map((window) => window.sees(['Round the corner', 'and back'])))
  await hers.ticks('Round the corner', 'Read')
  await his.ticks('and back', 'Read')
})

test('where streams are blocked as well, messages and ticks come by polling', async () => {
  const { alice, bob } = strangers()
  const his = await demo.open(bob, { with: alice })
  const hers = await demo.open(alice, { with: bob, blocked: 'streams', until: 'Online by polling' })
  await hers.says('Step')
  await his.sees(['Step'])
  await his.says('by step')
  await Promise.all([hers, his].map((window) => window.sees(['Step', 'by step'])))
  await hers.ticks('Step', 'Read')
  await his.ticks('by step', 'Read')
})

test('a message refused for good says why; it can be tried again, or deleted', async () => {
  const { alice, bob } = strangers()
  const his = await demo.open(bob, { with: alice })
  const hers = await demo.open(alice, { with: bob, blocked: 'websocket', until: 'Online by server-sent events' })
  await hers.says('fine')
  await his.sees(['fine'])
  await hers.isRefused('Bob has blocked you.')
  await hers.says('first', 'second')
  for (const body of ['first', 'second']) {
    await hers.ticks(body, 'Not sent')
    await hers.article(body).getByText('Not sent. Bob has blocked you.').waitFor()
  }
  const tryAgain = hers.article('first').getByRole('button', { name: 'Try again' })
  await tryAgain.click()
  await hers.ticks('first', 'Not sent')

  await hers.isRefused(undefined)
  await tryAgain.click()
  await hers.article('second').getByRole('button', { name: 'Delete' }).click()
  await hers.ticks('first', 'Read')
  await Promise.all([hers, his].map((window) => window.sees(['fine', 'first'])))
  await hers.page.reload()
  await hers.sees(['fine', 'first'])
  expect(await demo.log(alice, bob)).toEqual(['Alice: fine', 'Alice: first'])
})
