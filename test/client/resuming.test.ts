import type { ClientOptions } from 'graphql-ws'
import { expect, it } from 'vitest'
import { resuming } from '../../packages/client/src/resuming.ts'

// What graphql-ws hands to the options and takes from them. test/clients runs the same with its real client, over a restart of the server.

const url = 'ws://localhost/graphql'
const subscribe = (id: string, variables: object = {}) => ({
  id,
  type: 'subscribe',
  payload: { query: '…', variables },
})

function open(more: Partial<ClientOptions> = {}) {
  const { on, jsonMessageReplacer } = resuming({ url, ...more })
  return {
    next: (id: string, data: Record<string, unknown>) =>
      on?.message?.({ id, type: 'next', payload: { data } } as never),
    ends: (id: string) => on?.message?.({ id, type: 'complete' } as never),
    /** What would be sent. */
    sends: (message: object) => JSON.parse(JSON.stringify(message, jsonMessageReplacer)),
  }
}
const message = (conversationId: string, seq: number) => ({ conversationId, seq })

it('sends a subscription as it is, until something came for it', () => {
  const { next, sends } = open()
  next('other', { messageAdded: { message: message('dm_a', 7) } })
  expect(sends(subscribe('one', { after: [message('dm_a', 3)] }))).toEqual(
    subscribe('one', { after: [message('dm_a', 3)] }),
  )
})

it('goes on after the last message of each conversation, and where it began in the others', () => {
  const { next, sends } = open()
  next('one', { messageAdded: { message: message('dm_a', 7) } })
  next('one', { messageAdded: { messageEdge: { node: message('dm_b', 2) } } })
  next('one', { messageAdded: { message: message('dm_a', 8) } })
  const { variables } = sends(subscribe('one', { x: 1, after: [message('dm_a', 3), message('dm_c', 4)] })).payload
  expect(variables).toEqual({ x: 1, after: [message('dm_c', 4), message('dm_b', 2), message('dm_a', 8)] })
})

it('counts changes by their own seq, not by that of the message they change', () => {
  const { next, sends } = open()
  next('one', { messageChanged: { seq: 9, message: message('dm_a', 1) } })
  expect(sends(subscribe('one')).payload.variables.after).toEqual([message('dm_a', 9)])
})

it('names no more positions than fit into a frame: those that were seen last', () => {
  const { next, sends } = open()
  for (let i = 1; i <= 900; i += 1) next('one', { messageAdded: { message: message(`dm_${i}`, 1) } })
  const { after } = sends(subscribe('one')).payload.variables
  expect([after.length, after[0].conversationId, after.at(-1).conversationId]).toEqual([800, 'dm_101', 'dm_900'])
})

it('forgets a subscription that has ended', () => {
  const { next, ends, sends } = open()
  next('one', { messageAdded: { message: message('dm_a', 7) } })
  ends('one')
  expect(sends(subscribe('one'))).toEqual(subscribe('one'))
  next('one', { messageAdded: { message: message('dm_a', 8) } })
  // The application has unsubscribed.
  sends({ id: 'one', type: 'complete' })
  expect(sends(subscribe('one'))).toEqual(subscribe('one'))
})

it('leaves the app its own listeners, replacer and patience', () => {
  const heard: string[] = []
  const { next, sends } = open({
    on: { message: ({ type }) => void heard.push(type) },
    jsonMessageReplacer: (key, value) => (key === 'query' ? 'replaced' : value),
  })
  next('one', { messageAdded: { message: message('dm_a', 7) } })
  expect(heard).toEqual(['next'])
  expect(sends(subscribe('one')).payload).toEqual({ query: 'replaced', variables: { after: [message('dm_a', 7)] } })
  expect(resuming({ url, retryAttempts: 3 }).retryAttempts).toBe(3)
})
