import { gql, InMemoryCache } from '@apollo/client'
import { typePolicies } from '@parley/client/apollo'
import { cacheConfig } from '@parley/client/urql'
import { Client, type Exchange, makeResult, gql as urqlGql } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import { expect, it } from 'vitest'
import { filter, fromValue, map, mergeMap, pipe, toPromise } from 'wonka'

// A list with notices and one without are lists of their own: neither cache may answer one with the other.

const text = `
  query Messages($conversationId: ID!, $notices: Boolean) {
    messages(conversationId: $conversationId, notices: $notices, first: 10) {
      edges { cursor node { id conversationId seq kind body clientMessageId } }
      pageInfo { hasNextPage endCursor }
    }
  }
`
const added = `
  subscription Added {
    messageAdded { messageEdge { cursor node { id conversationId seq kind body clientMessageId } } }
  }
`
type Kind = 'USER' | 'NOTICE'
type Data = { messages: { edges: { node: { seq: number } }[] } } | null | undefined

const edge = (seq: number, kind: Kind) => ({
  __typename: 'MessageEdge',
  cursor: String(seq),
  node: {
    __typename: 'Message',
    id: `msg_grp_1_${seq}`,
    conversationId: 'grp_1',
    seq,
    kind,
    body: '',
    clientMessageId: null,
  },
})
const page = (...edges: ReturnType<typeof edge>[]) => ({
  messages: {
    __typename: 'MessageConnection',
    edges,
    pageInfo: { __typename: 'PageInfo', hasNextPage: false, endCursor: null },
  },
})
const event = (seq: number, kind: Kind) => ({
  messageAdded: { __typename: 'MessageAddedPayload', messageEdge: edge(seq, kind) },
})
const seqs = (data: Data) => data?.messages.edges.map(({ node }) => node.seq)

const withNotices = { conversationId: 'grp_1', notices: true }
const without = { conversationId: 'grp_1' }
const pages = {
  withNotices: page(edge(3, 'USER'), edge(2, 'NOTICE'), edge(1, 'USER')),
  without: page(edge(3, 'USER'), edge(1, 'USER')),
}

it('of Apollo Client', () => {
  const cache = new InMemoryCache({ typePolicies })
  const query = gql(text)
  const read = (variables: object) => seqs(cache.readQuery<NonNullable<Data>>({ query, variables }))
  cache.writeQuery({ query, variables: withNotices, data: pages.withNotices })
  expect(read(without)).toBeUndefined()
  cache.writeQuery({ query, variables: without, data: pages.without })
  for (const data of [event(4, 'NOTICE'), event(5, 'USER')])
    cache.write({ dataId: 'ROOT_SUBSCRIPTION', query: gql(added), result: data })
  expect([read(withNotices), read(without)]).toEqual([
    [5, 4, 3, 2, 1],
    [5, 3, 1],
  ])
})

it('of urql with graphcache', async () => {
  const events = [event(4, 'NOTICE'), event(5, 'USER')]
  const server: Exchange = () => (operations) =>
    pipe(
      operations,
      filter(({ kind }) => kind !== 'teardown'),
      mergeMap((operation) => {
        const asked = operation.variables?.notices ? pages.withNotices : pages.without
        const data = operation.kind === 'query' ? asked : (events.shift() ?? null)
        return pipe(
          fromValue(data),
          map((answer) => makeResult(operation, { data: answer, hasNext: false })),
        )
      }),
    )
  const client = new Client({
    url: 'http://chat/graphql',
    preferGetMethod: false,
    exchanges: [cacheExchange(cacheConfig({ id: 'alice', name: null })), server],
  })
  const query = urqlGql(text)
  const read = async (variables: object) => seqs((await client.query(query, variables).toPromise()).data as Data)
  expect(await read(withNotices)).toEqual([3, 2, 1])
  expect(await read(without)).toEqual([3, 1])
  for (const _ of [1, 2]) await pipe(client.subscription(urqlGql(added), {}), toPromise)
  expect(await read(withNotices)).toEqual([5, 4, 3, 2, 1])
  expect(await read(without)).toEqual([5, 3, 1])
})
