import { expect, it } from 'vitest'
import type { Domain } from '../../../src/domain/domain.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import { aClientMessageId, aUser } from '../../kit/ids.ts'
import { memoryDomain, nextTurn } from '../../kit/memory-domain.ts'

// A pending row is written while its user acks by a plain request. Whichever comes first, the row is gone in the end.

/** Holds back the write of a row. Returns a promise for when it is about to be written, and a function that lets it go on. */
function heldBack(pending: Ports['pending']) {
  let goOn: () => void = () => undefined
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const held: Ports['pending'] = {
    ...pending,
    async lower(...args) {
      await gate
      await pending.lower(...args)
    },
  }
  return { held, goOn: () => goOn() }
}

function aWorld() {
  let goOn: () => void = () => undefined
  const { domain, ports } = memoryDomain(({ pending }) => {
    const gate = heldBack(pending)
    goOn = gate.goOn
    return { pending: gate.held }
  })
  const [alice, bob] = [aUser(), aUser()]
  return {
    domain,
    ports,
    alice,
    bob,
    goOn: () => goOn(),
    send: () => domain.sendTo(alice, bob, { clientMessageId: aClientMessageId(), body: 'hi' }),
  }
}

it('written by a send, after the ack of the very message', async () => {
  const { domain, ports, alice, bob, send, goOn } = aWorld()
  const sent = send()
  await nextTurn()
  await domain.ack(await domain.access.direct(bob, alice), 1)
  goOn()
  await sent
  expect(await ports.pending.list(bob)).toEqual([])
})

it('written at the end of a stream, after the ack', async () => {
  const { domain, ports, alice, bob, send, goOn } = aWorld()
  const stream = await domain.follow({ userId: bob, after: [] })
  const shown = stream.next()
  await nextTurn()
  await send()
  await shown
  const ended = stream.return?.()
  await nextTurn()
  await domain.ack(await domain.access.direct(bob, alice), 1)
  goOn()
  await ended
  expect(await ports.pending.list(bob)).toEqual([])
})

it('written by a send, after the ack of a later message', async () => {
  const { domain, ports, alice, bob, send, goOn } = aWorld()
  const [first, second] = [send(), send()]
  await nextTurn()
  await domain.ack(await domain.access.direct(bob, alice), 2)
  goOn()
  await Promise.all([first, second])
  expect(await ports.pending.list(bob)).toEqual([])
})

// Redis fails between the row and the note in the boundary cache that there is one. An ack looks for a row only where the cache says so.

/** Fails the first time it is called. */
function failingOnce<Args extends unknown[], T>(
  call: (...args: Args) => Promise<T>,
  isMeant: (...args: Args) => boolean,
) {
  let hasFailed = false
  return async (...args: Args): Promise<T> => {
    if (hasFailed || !isMeant(...args)) return call(...args)
    hasFailed = true
    throw unavailable(new Error('No answer from Redis'))
  }
}

/** Alice and Bob after a message that Bob has acked: the cache says that there is no row. */
async function afterOneAck(domain: Domain) {
  const [alice, bob] = [aUser(), aUser()]
  const send = (clientMessageId = aClientMessageId()) => domain.sendTo(alice, bob, { clientMessageId, body: 'hi' })
  const ack = async (seq: number) => domain.ack(await domain.access.direct(bob, alice), seq)
  await send()
  await ack(1)
  return { bob, send, ack }
}

it('written at the end of a stream, and noted only at the second attempt', async () => {
  const { domain, ports } = memoryDomain(({ boundaryCache }) => ({
    boundaryCache: { ...boundaryCache, notePending: failingOnce(boundaryCache.notePending, () => true) },
  }))
  const { bob, send, ack } = await afterOneAck(domain)
  const stream = await domain.follow({ userId: bob, after: [] })
  const shown = stream.next()
  await nextTurn()
  await send()
  await shown
  await stream.return?.()
  expect(await ports.pending.list(bob)).toHaveLength(1)
  await ack(2)
  expect(await ports.pending.list(bob)).toEqual([])
})

it('written by a send that failed after it, and acked before the retry', async () => {
  let fails = false
  const { domain, ports } = memoryDomain(({ events }) => ({
    events: {
      ...events,
      publishEntry: failingOnce(events.publishEntry, ({ pendingWritten }) => fails && pendingWritten !== undefined),
    },
  }))
  const { bob, send, ack } = await afterOneAck(domain)
  fails = true
  const clientMessageId = aClientMessageId()
  await expect(send(clientMessageId)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await ports.pending.list(bob)).toHaveLength(1)
  await ack(2)
  expect(await send(clientMessageId)).toMatchObject({ duplicate: true })
  expect(await ports.pending.list(bob)).toEqual([])
})
