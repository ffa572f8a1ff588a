// What a literal implementation is: graphql-yoga and graphql-ws as their documentation puts them together, its in-process pub/sub,
// and the three writes of a message and its double tick through the AWS SDK. It checks no rights and repairs nothing.

import { createServer, type IncomingMessage } from 'node:http'
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { ExecutionArgs } from 'graphql'
import { useServer } from 'graphql-ws/use/ws'
import { createPubSub, createSchema, createYoga } from 'graphql-yoga'
import { Redis } from 'ioredis'
import { WebSocketServer } from 'ws'
import {
  type AckInput,
  addedOf,
  connectionOf,
  fromMemory,
  type Message,
  messageOf,
  type SendInput,
  typeDefs,
} from './schema.ts'

const redis = new Redis(process.env.REDIS_URL ?? '')
const client = new DynamoDBClient({
  endpoint: process.env.DYNAMODB_ENDPOINT ?? '',
  region: 'us-east-1',
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  requestHandler: { httpAgent: { keepAlive: true, maxSockets: 256 } },
})
const documents = DynamoDBDocumentClient.from(client)
await Promise.all([
  createTable('stock_sends', 'send_key'),
  createTable('stock_messages', 'conversation_id', 'seq'),
  createTable('stock_status', 'user_id', 'conversation_id'),
])

type Ticks = { conversationId: string; userId: string; lastDeliveredSeq: number; lastReadSeq: number }
const pubSub = createPubSub<{
  message: [conversationId: string, payload: ReturnType<typeof addedOf>]
  ticks: [conversationId: string, payload: Ticks]
}>()

type Context = { userId: string }
type RequestContext = Context & { request?: Request; connectionParams?: Context }

async function sendMessage({ userId }: Context, { clientMessageId, to: { conversationId }, body }: SendInput) {
  const seq = await redis.incr(`stock:seq:${conversationId}`)
  const message = messageOf(conversationId, seq, userId, body)
  const claim = {
    send_key: `${userId}#${clientMessageId}`,
    sender_id: userId,
    client_message_id: clientMessageId,
    conversation_id: conversationId,
    seq,
  }
  await documents.send(
    new PutCommand({
      TableName: 'stock_sends',
      Item: claim,
      ConditionExpression: 'attribute_not_exists(send_key)',
      ReturnConsumedCapacity: 'TOTAL',
    }),
  )
  const { messageId: message_id, sentAt: sent_at } = message
  const { send_key: _key, ...row } = { ...claim, kind: 'message', message_id, body, sent_at }
  await documents.send(
    new PutCommand({
      TableName: 'stock_messages',
      Item: row,
      ConditionExpression: 'attribute_not_exists(conversation_id)',
      ReturnConsumedCapacity: 'TOTAL',
    }),
  )
  pubSub.publish('message', conversationId, addedOf(message))
  return { message, duplicate: false }
}

async function ack({ userId }: Context, { conversationId, seq }: AckInput) {
  await documents.send(
    new UpdateCommand({
      TableName: 'stock_status',
      Key: { user_id: userId, conversation_id: conversationId },
      UpdateExpression: 'SET last_delivered_seq = :seq',
      ConditionExpression: 'attribute_not_exists(last_delivered_seq) OR last_delivered_seq < :seq',
      ExpressionAttributeValues: { ':seq': seq },
      ReturnConsumedCapacity: 'TOTAL',
    }),
  )
  const ticks = { conversationId, userId, lastDeliveredSeq: seq, lastReadSeq: 0 }
  pubSub.publish('ticks', conversationId, ticks)
  return { ticks }
}

async function messages(conversationId: string, first: number) {
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName: 'stock_messages',
      KeyConditionExpression: 'conversation_id = :conversation',
      ExpressionAttributeValues: { ':conversation': conversationId },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: first,
      ReturnConsumedCapacity: 'TOTAL',
    }),
  )
  return connectionOf(
    Items.map(
      (item): Message => ({
        id: `msg_${conversationId}_${item.seq}`,
        conversationId,
        seq: item.seq,
        messageId: item.message_id,
        sender: { id: item.sender_id },
        body: item.body,
        sentAt: item.sent_at,
      }),
    ),
  )
}

const schema = createSchema<RequestContext>({
  typeDefs,
  resolvers: {
    Query: {
      messages: (_root, args: { conversationId: string; first: number }) => messages(args.conversationId, args.first),
      messagesInMemory: (_root, { first }: { first: number }) => fromMemory(first),
    },
    Mutation: {
      sendMessage: (_root, { input }: { input: SendInput }, context) => sendMessage(context, input),
      ack: (_root, { input }: { input: AckInput }, context) => ack(context, input),
      setTyping: () => ({ ok: true }),
    },
    Subscription: {
      messageAdded: {
        subscribe: (_root, { conversationId }: { conversationId: string }) =>
          pubSub.subscribe('message', conversationId),
        resolve: (added: unknown) => added,
      },
      ticksChanged: {
        subscribe: (_root, { conversationId }: { conversationId: string }) => pubSub.subscribe('ticks', conversationId),
        resolve: (ticks: unknown) => ticks,
      },
    },
  },
})

const yoga = createYoga<Partial<RequestContext>>({
  schema,
  logging: false,
  graphiql: false,
  context: ({ request, connectionParams }) => ({
    userId: connectionParams?.userId ?? request?.headers.get('x-user-id') ?? '',
  }),
})
const server = createServer(yoga)
const sockets = new WebSocketServer({ server, path: '/graphql' })

type Enveloped = Pick<ReturnType<typeof yoga.getEnveloped>, 'execute' | 'subscribe'>
useServer<Record<string, unknown>, { request: IncomingMessage }>(
  {
    execute: (args: ExecutionArgs) => (args.rootValue as Enveloped).execute(args),
    subscribe: (args: ExecutionArgs) => (args.rootValue as Enveloped).subscribe(args),
    async onSubscribe({ connectionParams }, _id, { query, operationName, variables }) {
      const { schema, execute, subscribe, contextFactory, parse, validate } = yoga.getEnveloped({ connectionParams })
      const document = parse(query)
      const invalid = validate(schema, document)
      if (invalid.length > 0) return invalid
      const contextValue = await contextFactory()
      return {
        schema,
        operationName,
        document,
        variableValues: variables,
        contextValue,
        rootValue: { execute, subscribe },
      }
    },
  },
  sockets,
)
server.listen(Number(process.env.PORT), '127.0.0.1')

/** Another process of the same run may have made it. */
async function createTable(TableName: string, hash: string, range?: string): Promise<void> {
  const columns = [hash, ...(range === undefined ? [] : [range])]
  const isThere = (error: Error) => {
    if (error.name !== 'ResourceInUseException') throw error
  }
  const made = client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: columns.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
      AttributeDefinitions: columns.map((AttributeName) => ({
        AttributeName,
        AttributeType: AttributeName === 'seq' ? 'N' : 'S',
      })),
    }),
  )
  await made.catch(isThere)
}
