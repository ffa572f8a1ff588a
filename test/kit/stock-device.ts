import { createClient } from 'graphql-ws'
import WebSocket from 'ws'
import { type Person, toFailure } from './person.ts'
import { createStreamLog } from './stream-log.ts'

/** An event of either stream. `seq` is what the device acks: that of the message, or that of the change. */
export type StockEvent = { conversationId: string; seq: number; body: string; previousSeq: number; catchUp: boolean }

const added = `subscription ($deviceId: ID, $after: [PositionInput!]) {
  messageAdded(deviceId: $deviceId, after: $after) { previousSeq catchUp message { conversationId seq body } }
}`
const changed = `subscription ($deviceId: ID, $after: [PositionInput!]) {
  messageChanged(deviceId: $deviceId, after: $after) { seq previousSeq catchUp message { conversationId body } }
}`

type Shown = { seq?: number; previousSeq: number; catchUp: boolean; message: Omit<StockEvent, 'previousSeq'> }
type Options = {
  deviceId: string
  /** Asked for the node at each connection. */
  url?: () => string
  after?: { conversationId: string; seq: number }[]
  stream?: 'messages' | 'changes'
}

/** A client as graphql-ws makes it: it reconnects by itself, and always sends the variables it began with. */
export function startStockDevice(
  person: Person,
  { url = () => person.url, stream = 'messages', ...constant }: Options,
) {
  const log = createStreamLog<StockEvent>()
  const client = createClient({
    url: () => `${url().replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${person.token}` },
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: () => new Promise((resolve) => setImmediate(resolve)),
    shouldRetry: () => true,
    on: { connected: (socket) => log.opened(socket as WebSocket) },
  })
  const unsubscribe = client.subscribe<{ messageAdded?: Shown; messageChanged?: Shown }>(
    { query: stream === 'messages' ? added : changed, variables: constant },
    {
      next({ data }) {
        const shown = data?.messageAdded ?? data?.messageChanged
        if (!shown) return
        const { message, previousSeq, catchUp } = shown
        log.add({ ...message, seq: shown.seq ?? message.seq, previousSeq, catchUp })
      },
      error: (error) => log.fail(toFailure(error)),
      complete: log.end,
    },
  )
  log.onStop(async () => {
    unsubscribe()
    await client.dispose()
  })
  return {
    ...log,
    /** Resolves with `seq body` of everything so far, once there are that many. */
    lines: async (count: number) => (await log.receives(count)).map(({ seq, body }) => `${seq} ${body}`),
    ack: (conversationId: string, seq: number, node = person.url) =>
      person.ask(
        'mutation ($input: AckInput!) { ack(input: $input) { ticks { lastDeliveredSeq } } }',
        { input: { conversationId, seq, deviceId: constant.deviceId } },
        { node },
      ),
  }
}
