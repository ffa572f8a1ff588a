import { expect, it } from 'vitest'
import type { Ports } from '../../src/ports/ports.ts'
import { aClientMessageId, aUser } from '../kit/ids.ts'
import { memoryDomain, settled } from '../kit/memory-domain.ts'

// A pending row that is written while its user acks by a plain request: whichever comes first, the row is gone in the end.

/** A row is about to be written: the returned promise, and how to let it be. */
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
  await settled()
  await domain.ack(await domain.access.direct(bob, alice), 1)
  goOn()
  await sent
  expect(await ports.pending.list(bob)).toEqual([])
})

it('written at the end of a stream, after the ack', async () => {
  const { domain, ports, alice, bob, send, goOn } = aWorld()
  const stream = await domain.follow({ userId: bob, after: [] })
  const shown = stream.next()
  await settled()
  await send()
  await shown
  const ended = stream.return?.()
  await settled()
  await domain.ack(await domain.access.direct(bob, alice), 1)
  goOn()
  await ended
  expect(await ports.pending.list(bob)).toEqual([])
})

it('written by a send, after the ack of a later message', async () => {
  const { domain, ports, alice, bob, send, goOn } = aWorld()
  const [first, second] = [send(), send()]
  await settled()
  await domain.ack(await domain.access.direct(bob, alice), 2)
  goOn()
  await Promise.all([first, second])
  expect(await ports.pending.list(bob)).toEqual([])
})
