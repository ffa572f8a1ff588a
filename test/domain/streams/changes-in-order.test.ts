import { describe, expect, it } from 'vitest'
import type { Alteration, Change, Message } from '../../../src/ports/log.ts'
import { unavailable } from '../../../src/protocol/errors.ts'
import { deferred } from '../../client/kit.ts'
import { aClientMessageId, aUser } from '../../kit/ids.ts'
import { memoryDomain, nextTurn } from '../../kit/memory-domain.ts'

// Two changes of one message are made at once. The log says which comes first, but they may be applied in the other order. An event brings the
// message as it was then, and the later change may not include the earlier.

async function aChat() {
  const atOnce = async (_change: Change): Promise<void> => undefined
  let [beforeApplying, beforeRinging] = [atOnce, atOnce]
  const { domain } = memoryDomain(({ messages, events }) => ({
    messages: {
      ...messages,
      async alter(change) {
        await beforeApplying(change)
        return messages.alter(change)
      },
    },
    events: {
      ...events,
      async publishEntry(request) {
        if (request.entry.kind === 'change') await beforeRinging(request.entry)
        return events.publishEntry(request)
      },
    },
  }))
  const [alice, bob] = [aUser(), aUser()]
  await domain.sendTo(alice, bob, { clientMessageId: aClientMessageId(), body: 'hi' })
  const member = await domain.access.direct(alice, bob)
  const change = (alteration: Alteration) =>
    domain.change(member, { seq: 1, clientMessageId: aClientMessageId(), alteration })
  return {
    domain,
    bob,
    /** Puts the first change into the log before the second and applies it after. `publishesFirst` is the one that is published first. */
    async crossed(first: Alteration, second: Alteration, publishesFirst: Alteration): Promise<void> {
      const [applied, published] = [deferred(), deferred()]
      beforeApplying = async ({ alteration }) => {
        if (alteration === first) await applied.promise
      }
      beforeRinging = async ({ alteration }) => {
        if (alteration !== publishesFirst) await published.promise
      }
      const one = change(first)
      await nextTurn()
      const other = change(second)
      await nextTurn()
      applied.resolve()
      await (publishesFirst === first ? one : other)
      await nextTurn()
      published.resolve()
      await Promise.all([one, other])
    },
  }
}

const deletion = { type: 'delete' } as const
const edit = (body: string) => ({ type: 'edit', body }) as const
const like = (emoji: string) => ({ type: 'reaction', emoji, on: true }) as const
const looks = ({ body, deletedAtMs, edited, reactions = [] }: Message) => [
  deletedAtMs === undefined ? body : 'deleted',
  edited?.seq,
  ...reactions.map(({ emoji, on }) => (on ? emoji : `no ${emoji}`)),
]

const crossings = [
  ['deleted and edited', deletion, edit('b'), ['deleted', 3]],
  ['edited and liked', edit('a'), like('👍'), ['a', 2, '👍']],
  ['edited twice', edit('a'), edit('b'), ['b', 3]],
  ['liked by two faces', like('🎉'), like('👍'), ['hi', undefined, '🎉', '👍']],
] as const

describe.each([
  ['one that takes at once', true],
  ['one that reads', false],
])('to %s', (_who, hasSink) => {
  describe.each(['in order', 'crossed'])('and events come %s', (come) => {
    it.each(crossings)(
      'a message that is %s at once is shown in the end as it is',
      async (_what, first, second, is) => {
        const { domain, bob, crossed } = await aChat()
        const stream = await domain.followChanges({ userId: bob, after: [] })
        const shown: Message[] = []
        if (hasSink) stream.setSink({ tryPush: ({ message }) => shown.push(message) > 0 })
        const watching = (async () => {
          for await (const { message } of stream) shown.push(message)
        })()
        await nextTurn()
        await crossed(first, second, come === 'in order' ? first : second)
        await nextTurn()
        expect(shown.map(looks).at(-1)).toEqual(is)
        expect(shown).toHaveLength(2)
        await stream.return?.()
        await watching
      },
    )
  })
})

describe('a change that is in the log and was not applied', () => {
  async function metBy(failure: Error, times: number) {
    let failures = 0
    const { domain } = memoryDomain(({ messages }) => ({
      messages: {
        ...messages,
        async alter(change) {
          if (change.seq === 2 && failures++ < times) throw failure
          return messages.alter(change)
        },
      },
    }))
    const [alice, bob] = [aUser(), aUser()]
    await domain.sendTo(alice, bob, { clientMessageId: aClientMessageId(), body: 'hi' })
    const member = await domain.access.direct(alice, bob)
    const attempt = { seq: 1, clientMessageId: aClientMessageId(), alteration: like('👍') }
    await expect(domain.change(member, attempt)).rejects.toBe(failure)
    await domain.change(member, { ...attempt, clientMessageId: aClientMessageId(), alteration: edit('better') })
    const after = [{ member: await domain.access.direct(bob, alice), seq: 1 }]
    return domain.followChanges({ userId: bob, after })
  }

  it('and can never be is passed by every reader', async () => {
    const stream = await metBy(new TypeError('This cannot be stored.'), Number.POSITIVE_INFINITY)
    const [second, third] = [(await stream.next()).value, (await stream.next()).value]
    expect([second, third].map(({ seq, message }) => [seq, ...looks(message)])).toEqual([
      [2, 'better', 3],
      [3, 'better', 3],
    ])
    await stream.return?.()
  })

  it('because the store is away ends the stream, so that the next one shows it', async () => {
    const stream = await metBy(unavailable(), 2)
    await expect(stream.next()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})
