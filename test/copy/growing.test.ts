import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createGroup } from '../kit/group-of.ts'
import { createPerson, line, type Person } from '../kit/person.ts'
import { sharedService } from '../kit/shared-services.ts'
import { startStockDevice } from '../kit/stock-device.ts'
import { startWorld } from '../kit/world.ts'
import { temporaryDirectory } from './places.ts'
import { runCopy } from './run-copy.ts'

/** Returns what a person sees of their chats: every page of every chat with ticks and reactions, and the list with its counts. */
async function everything(person: Person, url: string) {
  const me = await createPerson(person.userId, url)
  const { edges } = await me.conversations()
  const chats = edges.map(({ node }) => node)
  const histories = await Promise.all(chats.map(({ id }) => me.history(id, { first: 50, notices: true })))
  return { chats, histories }
}

it('a lived-in chat moves from one process to two nodes, and clients resume where they were', async () => {
  const dataDir = join(await temporaryDirectory(), 'data')
  const one = await startWorld({ config: { dynamodb: 'embedded', redis: 'embedded', dataDir } })
  const [alice, bob, carol] = (await Promise.all(['alice', 'bob', 'carol'].map((name) => one.person(name)))) as Three
  await bob.updateProfile({ name: 'Bob' })
  const chat = one.chatOf(alice, bob)
  const bobsStream = bob.follow()
  const bobsPhone = startStockDevice(bob, { deviceId: 'phone' })
  await one.online(bob)
  const clientMessageId = randomUUID()
  await alice.send(bob, 'hi', { clientMessageId })
  await alice.send(bob, 'how are you?')
  await bob.send(alice, 'fine')
  await bobsStream.receives(2)
  await bobsPhone.receives(2)
  await bobsPhone.ack(chat, 3)
  await bob.markRead(chat, 2)
  await alice.edit(chat, 1, 'hello')
  await bob.react(chat, 2, '👍')
  await alice.remove(chat, 2)
  const group = await createGroup(alice, [bob, carol])
  await alice.send({ conversationId: group.id }, 'welcome, all')
  await bob.send({ conversationId: group.id }, 'thanks')
  await bobsStream.sees(({ message }) => message.body === 'thanks')
  const positions = [...new Map(bobsStream.events.map(({ message }) => [message.conversationId, message.seq]))].map(
    ([conversationId, seq]) => ({ conversationId, seq }),
  )
  await bobsPhone.stop()
  await bobsStream.drop()
  await one.offline(bob)
  // What comes now waits for Bob and Carol.
  await alice.send(bob, 'are you there?')
  await alice.send(bob, 'call me')
  await alice.send({ conversationId: group.id }, 'anybody?')
  const page = await bob.history(chat, { first: 2 })
  const before = await Promise.all([alice, bob, carol].map((person) => everything(person, one.url())))
  await one.stop()

  const prefix = `grown_${randomUUID().slice(0, 8)}_`
  const copied = await runCopy(`embedded:${dataDir}`, `dynamodb:${prefix}`, {
    DYNAMODB_ENDPOINT: await sharedService('dynalite'),
    CREATE_TABLES: 'true',
  })
  expect(copied).toMatchObject({ code: 0, said: expect.stringContaining('DATA_DIR/media') })

  const two = await startWorld({ nodes: 2, config: { tables: { prefix, create: false } } })
  onTestFinished(two.stop)
  expect(await Promise.all([alice, bob, carol].map((person) => everything(person, two.url(1))))).toEqual(before)

  // Bob goes on scrolling up with the cursor that he has.
  const earlier = await bob.history(chat, { first: 10, after: page.pageInfo.endCursor ?? '' }, two.url(0))
  const whole = before[1]?.histories[before[1].chats.findIndex(({ id }) => id === chat)]
  expect([...page.edges, ...earlier.edges].map(({ node }) => line(node))).toEqual(
    whole?.edges.map(({ node }) => line(node)),
  )

  // Bob resumes at his positions on one node, and Alice goes on at the other.
  const resumed = bob.follow({ after: positions }, two.url(1))
  onTestFinished(resumed.stop)
  const missed = await resumed.receives(3)
  const again = await alice.send(bob, 'hi', { clientMessageId, node: two.url(0) })
  expect(again).toMatchObject({ duplicate: true, seq: 1 })
  const sent = await alice.send(bob, 'welcome to the new house', { node: two.url(0) })
  await resumed.sees(({ message }) => message.body === 'welcome to the new house')
  const lines = resumed.events.map(
    ({ message }) => `${message.conversationId === chat ? 'chat' : 'group'} ${message.body}`,
  )
  expect(missed).toHaveLength(3)
  expect(lines.filter((each) => each.startsWith('chat'))).toEqual([
    'chat are you there?',
    'chat call me',
    'chat welcome to the new house',
  ])
  expect(lines.filter((each) => each.startsWith('group'))).toEqual(['group anybody?'])
  expect(sent.seq).toBe((whole?.edges[0]?.node.seq ?? 0) + 1)

  // The server has kept the position of Bob's phone, which asks with the same variables as ever.
  const phone = startStockDevice(bob, { deviceId: 'phone', url: () => two.url(0) })
  onTestFinished(phone.stop)
  await phone.sees(({ body }) => body === 'welcome to the new house')
  expect(phone.events.filter(({ conversationId }) => conversationId === chat).map(({ body }) => body)).toEqual([
    'are you there?',
    'call me',
    'welcome to the new house',
  ])

  // Carol has never been here, and finds all that waits for her.
  const carols = carol.follow({}, two.url(0))
  onTestFinished(carols.stop)
  expect((await carols.receives(3)).map(({ message }) => message.body)).toEqual(['welcome, all', 'thanks', 'anybody?'])
})

type Three = [Person, Person, Person]
