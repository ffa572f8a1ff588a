import { expect, it } from 'vitest'
import { deferred } from '../../client/kit.ts'
import { aClientMessageId, aUser } from '../../kit/ids.ts'
import { memoryDomain, nextTurn } from '../../kit/memory-domain.ts'

it('a stream of changes shows what was changed while it began, although the user has acked more by then', async () => {
  const subscribed = deferred()
  let isSlow = false
  const { domain } = memoryDomain(({ events }) => ({
    events: {
      ...events,
      async subscribe(userId, listener) {
        if (isSlow) await subscribed.promise
        return events.subscribe(userId, listener)
      },
    },
  }))
  const [alice, bob] = [aUser(), aUser()]
  isSlow = true
  const opening = domain.followChanges({ userId: bob, after: [] })
  await nextTurn()

  const say = (body: string) => domain.sendTo(alice, bob, { clientMessageId: aClientMessageId(), body })
  await say('hi')
  const [hers, his] = [await domain.access.direct(alice, bob), await domain.access.direct(bob, alice)]
  const alteration = { type: 'edit', body: 'hello' } as const
  await domain.change(hers, { seq: 1, clientMessageId: aClientMessageId(), alteration })
  await say('there?')
  await domain.ack(his, 3)

  subscribed.resolve()
  const stream = await opening
  const { value } = await stream.next()
  expect(value).toMatchObject({ seq: 2, message: { seq: 1, body: 'hello' } })
  await stream.return?.()
})
