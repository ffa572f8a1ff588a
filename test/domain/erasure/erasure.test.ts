import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createKeyValueMemory } from '../../../src/engine/key-value/key-value.memory.ts'
import type { KeyValue } from '../../../src/engine/key-value/key-value.ts'
import type { Ports } from '../../../src/ports/ports.ts'
import type { ClientMessageId, ConversationId, DeviceId, UserId } from '../../../src/protocol/ids.ts'
import { createStoresEmbedded } from '../../../src/store/embedded/stores.ts'
import { tableNames } from '../../../src/store/rows/tables.ts'
import { memoryDomain } from '../../kit/memory-domain.ts'
import { mortal } from '../../kit/mortal.ts'
import { steppedClock } from '../../kit/stepped-clock.ts'
import { waitUntil } from '../../kit/wait-until.ts'

// A node dies at every single call of an erasure, and another one goes on.

const [eve, bob, carol] = ['eve-to-be-erased', 'bob', 'carol'] as [UserId, UserId, UserId]
const word = 'marzipan'
const options = { randomId: randomUUID, settleMs: 0 }

function everything(engine: KeyValue): string[] {
  return tableNames.flatMap((name) =>
    [...engine.table(name).entries()].map(([key, row]) => `${name} ${key.join(' ')} ${JSON.stringify(row)}`),
  )
}

async function story() {
  const engine = createKeyValueMemory()
  const { clock, pass } = steppedClock()
  const { domain, ports } = memoryDomain(() => ({ ...createStoresEmbedded(engine), clock }), options)
  let ids = 0
  const clientMessageId = (from = eve) => `${from === eve ? word : 'm'}-${++ids}` as ClientMessageId
  const say = (from: UserId, to: UserId, body: string) =>
    domain.sendTo(from, to, { clientMessageId: clientMessageId(from), body })
  await domain.people.upsert(eve, { ownName: word })
  await say(eve, bob, `${word} one`)
  await say(bob, eve, 'hello')
  const chat = (await domain.access.direct(eve, bob)).conversation.id
  const member = await domain.access.member(eve, chat)
  await domain.change(member, {
    seq: 1,
    clientMessageId: clientMessageId(),
    alteration: { type: 'edit', body: `${word} two` },
  })
  await domain.change(member, {
    seq: 2,
    clientMessageId: clientMessageId(),
    alteration: { type: 'reaction', emoji: '🎉', on: true },
  })
  await domain.ack(member, 2, 'phone' as DeviceId)
  const group = await domain.groups.create(eve, {
    clientGroupId: clientMessageId(),
    title: 'Tea',
    memberIds: [bob, carol],
  })
  await domain.send(group, { clientMessageId: clientMessageId(), body: `${word} three` })
  return { engine, ports, domain, chat, group: group.conversation.id, pass }
}

/** A node that died may have left numbers that are skipped, and rows are worked on together. */
const entriesOf = async (ports: Ports, id: ConversationId) =>
  (await ports.messages.above(id, 0, 100))
    .flatMap((row) => {
      // A change of a group whose author died is made once more, and takes effect once.
      if (row.kind === 'void' || row.kind === 'group') return []
      return [row.kind === 'change' ? `${row.alteration.type} of ${row.targetSeq}` : row.kind]
    })
    .sort()

it('wherever a node dies, another one goes on, and nothing is left of the user, doubled or moved', async () => {
  const whole = await story()
  const { ports: counted, calls } = mortal(whole.ports, Number.POSITIVE_INFINITY)
  const task = await memoryDomain(() => counted, options).domain.tasks.begin('eraseUser', eve)
  await waitUntil(async () => (await whole.ports.tasks.get(task.id))?.state === 'DONE', { interval: 5 })
  const told = [await entriesOf(whole.ports, whole.chat), await entriesOf(whole.ports, whole.group)]
  const total = calls()
  expect(total).toBeGreaterThan(50)

  for (let lastCall = 1; lastCall <= total; lastCall += 1) {
    const { engine, ports, chat, group, pass } = await story()
    const node = mortal(ports, lastCall)
    const first = memoryDomain(() => node.ports, options).domain
    await first.tasks.begin('eraseUser', eve).catch(() => undefined)
    await waitUntil(async () => node.calls() >= lastCall, { interval: 1 })
    pass(60_000)
    const second = memoryDomain(() => ports, options).domain
    await second.tasks.begin('eraseUser', eve)
    await waitUntil(
      async () => {
        pass(3000)
        await second.tasks.tick()
        return (await ports.tasks.get(task.id))?.state === 'DONE'
      },
      { interval: 1 },
    )
    const left = everything(engine).filter((row) => row.includes(word) || row.includes(eve))
    expect(left.map((row) => row.split(' ', 1)[0]).sort(), `after call ${lastCall}: ${left.join('\n')}`).toEqual([
      'restrictions',
      'users',
    ])
    expect([await entriesOf(ports, chat), await entriesOf(ports, group)], `after call ${lastCall}`).toEqual(told)
  }
})
