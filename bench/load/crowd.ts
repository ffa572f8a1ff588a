import { setTimeout as sleep } from 'node:timers/promises'
import type { Subject } from '../bench.ts'
import { body, createGroup, messageAdded, sendMessage } from './documents.ts'
import { ask, type GraphQLSocket, openGraphQLSocket } from './graphql-socket.ts'
import { openIo } from './io-socket.ts'
import { rawMessage } from './pairs.ts'
import { accountOf } from './tokens.ts'
import { countLost, mustRetry } from './troubles.ts'
import { frameOf, type LoadSocket, openSocket } from './web-socket.ts'

// Many devices follow one conversation, and one sender writes there.

export type Crowd = {
  subject: Subject
  size: number
  /** Sends a message and resolves when every device has it. `to` is another conversation, with so many devices in it. */
  say(to?: { conversationId: string; devices: number }): Promise<void>
  /** Makes a group on our server, of the first so many members. */
  makeGroup(members: number): Promise<string>
  close(): void
}

/** A group has no more members than that; beyond, each has several devices. */
const membersMax = 1000
const openingAtATime = 80
const run = process.pid.toString(36)

/** `before` is called when the sender is connected and no follower is. */
export async function gather(
  subject: Subject,
  size: number,
  before = async (): Promise<void> => undefined,
): Promise<Crowd> {
  const name = `crowd-${subject.who.replace(' ', '-')}-${subject.pid}`
  const owner = await openOwner(subject, name)
  await before()
  let [heard, awaited] = [0, Number.POSITIVE_INFINITY]
  let allHeard = (): void => undefined
  const devices: LoadSocket[] = []
  const onHeard = () => {
    heard += 1
    if (heard >= awaited) allHeard()
  }
  const makeGroup = (members: number) => owner.makeGroup(Math.min(members, membersMax))
  const conversationId = await makeGroup(size)
  const open = async (index: number): Promise<void> => {
    const device = await openDevice(subject, `${name}-${index % membersMax}`, conversationId, onHeard)
    device.onLost = () => {
      countLost()
      void open(index)
    }
    devices[index] = device
  }
  for (let i = 0; i < size; i += openingAtATime) {
    await Promise.all(Array.from({ length: Math.min(openingAtATime, size - i) }, (_, each) => open(i + each)))
  }

  async function say(to = { conversationId, devices: size }): Promise<void> {
    heard = 0
    awaited = to.devices
    const done = new Promise<void>((resolve) => {
      allHeard = resolve
    })
    owner.say(to.conversationId)
    await done
  }

  // The first may come in either way, once or while a subscriber is still opening; then all are there.
  owner.say(conversationId)
  while (heard < size) await sleep(20)
  await sleep(50)
  return {
    subject,
    size,
    say,
    makeGroup,
    close() {
      for (const device of devices) device.close()
      owner.close()
    },
  }
}

type Owner = { makeGroup(members: number): Promise<string>; say(conversationId: string): void; close(): void }

async function openOwner({ who, port }: Subject, name: string): Promise<Owner> {
  let sent = 0
  if (who === 'raw ws') {
    const socket = await openSocket({ port, path: `/room/${name}` })
    const frame = frameOf(rawMessage)
    return { makeGroup: async () => name, say: () => socket.send(frame), close: socket.close }
  }
  if (who === 'socket.io') {
    const socket = await openIo(port, `${name}-owner`, `${name}-elsewhere`)
    const say = (conversationId: string) => {
      sent += 1
      socket.send(frameOf(`42${sent}${JSON.stringify(['send', { conversationId, body }])}`))
    }
    return { makeGroup: async () => name, say, close: socket.close }
  }
  const socket = await openGraphQLSocket(port, accountOf(`${name}-owner`))
  return {
    makeGroup: async (members) => (who === 'parley' ? makeGroup(socket, name, members) : name),
    say(conversationId) {
      sent += 1
      const input = { clientMessageId: `${run}-${name}-${sent}`, to: { conversationId }, body }
      let attempts = 0
      const send = () => {
        attempts += 1
        socket.send(socket.operation(`s${sent}.${attempts}`, sendMessage, { input }))
      }
      socket.onText = (payload) => mustRetry(payload.toString('latin1')) && send()
      send()
    },
    close: socket.close,
  }
}

async function makeGroup(socket: GraphQLSocket, name: string, members: number): Promise<string> {
  const memberIds = Array.from({ length: members }, (_, i) => `${name}-${i}`)
  const input = { clientGroupId: `${run}-${name}-${members}`, title: 'A crowd', memberIds }
  const made = (await ask(socket, createGroup, { input })) as { createGroup: { conversation: { id: string } } }
  return made.createGroup.conversation.id
}

async function openDevice(
  { who, port }: Subject,
  userId: string,
  conversationId: string,
  onHeard: () => void,
): Promise<LoadSocket> {
  if (who === 'raw ws') {
    const socket = await openSocket({ port, path: `/room/${conversationId}` })
    socket.onText = onHeard
    return socket
  }
  if (who === 'socket.io') {
    const socket = await openIo(port, userId, conversationId)
    socket.onText = (payload) => payload.toString('latin1', 0, 12) === '42["message"' && onHeard()
    return socket
  }
  const socket = await openGraphQLSocket(port, accountOf(userId))
  // Ours follows everything its user is in; the others have a topic per conversation.
  const variables = who === 'parley' ? {} : { conversationId }
  const follow = () => socket.send(socket.operation('added', messageAdded, variables))
  socket.onText = (payload) => {
    if (payload.includes('"messageAdded"')) onHeard()
    else if (mustRetry(payload.toString('latin1'))) follow()
  }
  follow()
  return socket
}
