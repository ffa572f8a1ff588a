import { describe, expect, it } from 'vitest'
import type { Ports } from '../../../src/ports/ports.ts'
import type { Proposal, Verdict } from '../../../src/ports/pre-send.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import type { ClientMessageId, MessageId, UserId } from '../../../src/protocol/ids.ts'
import { memoryDomain } from '../../kit/memory-domain.ts'

// What is stored was decided, once. What a crash leaves undecided is asked about again.

const [alice, bob] = ['alice', 'bob'] as [UserId, UserId]
const draft = { clientMessageId: 'first' as ClientMessageId, body: 'hello' }
/** A node with this key, whose messages have ids of its own. */
function nodeWithKey(id: string) {
  let ids = 0
  const nextMessageId = () => `${id}${++ids}` as MessageId
  return { payloadKeys: [{ id, mac: (text: string) => `${id}${text}` }], nextMessageId }
}

/** The verdicts come in their order; when there are no more, the last one stays. */
function backendSaying(...verdicts: Verdict[]) {
  const asked: Proposal[] = []
  return {
    asked,
    async ask(proposal: Proposal): Promise<Verdict> {
      asked.push(proposal)
      return verdicts[Math.min(asked.length, verdicts.length) - 1] as Verdict
    },
  }
}

const replaceBy = (body: string): Verdict => ({ decision: 'replace', body })

describe('a crash between the claim and the cell', () => {
  function crashing(...verdicts: Verdict[]) {
    const preSend = backendSaying(...verdicts)
    let puts = 0
    const { domain } = memoryDomain(({ messages }) => ({
      preSend,
      messages: {
        ...messages,
        async put(row) {
          puts += 1
          if (puts === 1) throw unavailable()
          return messages.put(row)
        },
      },
    }))
    return { domain, preSend }
  }

  it('leaves nothing decided: the retry asks again, and stores what it is told then', async () => {
    const { domain, preSend } = crashing(replaceBy('one'), replaceBy('two'), { decision: 'deny', reason: 'No.' })
    await expect(domain.sendTo(alice, bob, draft)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect((await domain.sendTo(alice, bob, draft)).message).toMatchObject({ seq: 1, body: 'two' })
    expect(await domain.sendTo(alice, bob, draft)).toMatchObject({ duplicate: true, message: { body: 'two' } })
    expect(preSend.asked.map(({ body }) => body)).toEqual(['hello', 'hello'])
  })

  it('and does not store it if it is denied then', async () => {
    const { domain } = crashing({ decision: 'allow' }, { decision: 'deny', reason: 'No.' })
    await expect(domain.sendTo(alice, bob, draft)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(domain.sendTo(alice, bob, draft)).rejects.toMatchObject({ code: 'FORBIDDEN', message: 'No.' })
    expect(await domain.access.findDirect(alice, bob)).toBeUndefined()
  })
})

describe('after the key of the claims was changed', () => {
  async function replacedBefore(): Promise<Ports> {
    const { domain, ports } = memoryDomain(
      () => ({ preSend: backendSaying(replaceBy('h***'), replaceBy('w***')) }),
      nodeWithKey('old'),
    )
    const { message } = await domain.sendTo(alice, bob, { ...draft, metadata: '{"a":1}' })
    const member = await domain.access.member(alice, message.conversationId)
    const edit = { type: 'edit', body: 'world' } as const
    const clientMessageId = 'second' as ClientMessageId
    expect(await domain.change(member, { seq: 1, clientMessageId, alteration: edit })).toMatchObject({ body: 'w***' })
    return ports
  }

  it('a retry of what was replaced is still a duplicate, without a question', async () => {
    const kept = await replacedBefore()
    const preSend = backendSaying({ decision: 'deny', reason: 'No.' })
    const { domain } = memoryDomain(() => ({ ...kept, preSend }), nodeWithKey('new'))
    const { message, duplicate } = await domain.sendTo(alice, bob, { ...draft, metadata: '{"a":1}' })
    expect([duplicate, message.body]).toEqual([true, 'w***'])
    const member = await domain.access.member(alice, message.conversationId)
    const clientMessageId = 'second' as ClientMessageId
    const alteration = { type: 'edit', body: 'world' } as const
    expect((await domain.change(member, { seq: 1, clientMessageId, alteration })).body).toBe('w***')
    expect(preSend.asked).toEqual([])
  })

  it('and another kind of message under its id is a conflict', async () => {
    const { domain } = memoryDomain(await replacedBefore().then((ports) => () => ports), nodeWithKey('new'))
    await expect(domain.sendTo(alice, bob, { ...draft, replyToSeq: 1 })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
  })
})

it('a member who is removed while the backend is asked writes nothing', async () => {
  let removed: () => Promise<unknown> = async () => undefined
  const { domain, ports } = memoryDomain(() => ({
    preSend: {
      async ask() {
        await removed()
        return { decision: 'allow' }
      },
    },
  }))
  const group = await domain.groups.create(alice, {
    clientGroupId: 'tea' as ClientMessageId,
    title: 'Tea',
    memberIds: [bob],
  })
  const { id } = group.conversation
  const bobs = await domain.access.member(bob, id)
  removed = async () =>
    domain.groups.updateMembers(await domain.access.member(alice, id), { add: [], remove: [bob], roles: [] })
  await expect(domain.send(bobs, draft)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const rows = await ports.messages.above(id, 0, 10)
  expect(rows.map(({ kind }) => kind)).toEqual(['group', 'group'])
})
