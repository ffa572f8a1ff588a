import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../../src/schema/schema.ts'
import { tokensIn } from '../../../src/transport/documents/documents.ts'
import { createPlans } from '../../../src/transport/execution/plans.ts'

/** Each level has both fields of the one below: two fields per level in the text, and twice as many as above in an operation. */
const doubling = (levels: number) =>
  Array.from({ length: levels }, (_, i) =>
    i + 1 < levels
      ? `fragment f${i} on Message { a: replyTo { ...f${i + 1} } b: replyTo { ...f${i + 1} } }`
      : `fragment f${i} on Message { seq }`,
  ).join(' ')

test('the operations of a document have together as many compiled fields as it has tokens', () => {
  const names = Array.from({ length: 32 }, (_, i) => `q${i}`)
  const operations = names.map((name) => `query ${name} { conversation(id: "dm_x") { lastMessage { ...f0 } } }`)
  const document = parse(`${operations.join(' ')} ${doubling(8)}`)
  const planOf = createPlans(schema)
  const fields = names.map((name) => planOf(document, name)?.compiled?.fieldCount ?? 0)
  expect(fields.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(tokensIn(document))
})

test('all operations of an ordinary document are compiled', () => {
  const document = parse(`
    query One { conversation(id: "dm_x") { ...shown } }
    query Many { conversations(first: 20) { edges { node { ...shown } } } }
    mutation Read { markRead(input: { conversationId: "dm_x", seq: 1 }) { ticks { lastReadSeq } } }
    fragment shown on Conversation { id title unreadCount lastMessage { ...text } members { id name } }
    fragment text on Message { id seq body sender { id name } sentAt tick }
  `)
  const planOf = createPlans(schema)
  for (const name of ['One', 'Many', 'Read']) expect(planOf(document, name)?.compiled, name).toBeDefined()
})
