// Both servers of graphql-transport-ws on one small schema, without a network: what they send is collected as messages.

import { buildSchema, type DocumentNode, execute, GraphQLError, parse, subscribe, validate } from 'graphql'
import { answerOf } from '../../../src/engine/graphql/answer.ts'
import { createGraphqlWsProtocol } from '../../../src/engine/websocket/protocol.graphql-ws.ts'
import { openLeanProtocol } from '../../../src/engine/websocket/protocol.lean.ts'
import type {
  OpenProtocol,
  Peer,
  ProtocolName,
  ProtocolOperations,
  ResultSink,
  ResultStream,
} from '../../../src/engine/websocket/protocol.ts'

type Prepared = {
  plan: { type: 'query' | 'mutation' | 'subscription'; document: DocumentNode; operationName: string | undefined }
  variables: Record<string, unknown> | null | undefined
}

const schema = buildSchema(`
  type Query { hello(name: String): String, fails: String, slow: String, hangs: String }
  type Mutation { add(number: Int!): Int }
  type Subscription { counts(to: Int!): Int, breaks: Int, silent: Int }
`)

const aMoment = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The released promise of `hangs` resolves when the test says so. */
function rootValueFor(released: Promise<void>) {
  return {
    hello: ({ name = 'you' }: { name?: string }) => `hello ${name} "é😀"`,
    fails: () => {
      throw new Error('It fails.')
    },
    slow: async () => {
      await aMoment()
      return 'slow'
    },
    hangs: async () => {
      await released
      return 'released'
    },
    add: ({ number }: { number: number }) => number + 1,
    async *counts({ to }: { to: number }) {
      for (let counts = 1; counts <= to; counts += 1) {
        await aMoment()
        yield { counts }
      }
    },
    async *breaks() {
      yield { breaks: 1 }
      throw new GraphQLError('It broke.')
    },
    silent: () => silence(),
  }
}

/** Sends nothing until it is let go of. A generator would not return while it waits. */
function silence(): AsyncIterableIterator<object> {
  let end: ((step: IteratorReturnResult<undefined>) => void) | undefined
  return {
    next: () =>
      new Promise((resolve) => {
        end = resolve
      }),
    async return() {
      end?.({ done: true, value: undefined })
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Results of graphql-js as a stream that can be read in both ways. */
function streamOf(results: AsyncGenerator<object, void, void>): ResultStream {
  const iterator = {
    async next() {
      const { done, value } = await results.next()
      return done ? ({ done: true, value: undefined } as const) : { done: false as const, value: answerOf(value) }
    },
    async return() {
      await results.return(undefined)
      return { done: true, value: undefined } as const
    },
    [Symbol.asyncIterator]() {
      return iterator
    },
    deliverTo: (sink: ResultSink) => void deliver(iterator, sink),
  }
  return iterator
}

async function deliver(stream: ResultStream, sink: ResultSink): Promise<void> {
  try {
    for await (const answer of stream) if (!sink.tryPush(answer)) await sink.push(answer)
    sink.end(undefined)
  } catch (error) {
    sink.end(error)
  }
}

function operationsWith(released: Promise<void>, operationsMax: number): ProtocolOperations<Prepared> {
  const rootValue = rootValueFor(released)
  const argsOf = ({ plan, variables }: Prepared) => ({
    schema,
    document: plan.document,
    operationName: plan.operationName,
    variableValues: variables ?? {},
    rootValue,
  })
  return {
    async connect(params) {
      await aMoment()
      if (params?.token === 'later') return { code: 1013, reason: 'Try again later' }
      return params?.token === 'bad' ? { code: 4403, reason: 'Forbidden' } : 'accepted'
    },
    prepare({ query, operationName, variables }, { position }) {
      if (position > operationsMax) return { errors: [new GraphQLError('Too many operations.')] }
      try {
        const document = parse(query)
        const errors = validate(schema, document)
        const [first] = document.definitions
        if (errors.length > 0 || first?.kind !== 'OperationDefinition') return { errors }
        return { plan: { type: first.operation, document, operationName: operationName ?? undefined }, variables }
      } catch (error) {
        return { errors: [error as GraphQLError] }
      }
    },
    async execute(prepared) {
      return answerOf(await execute(argsOf(prepared)))
    },
    async subscribe(prepared) {
      const opened = await subscribe(argsOf(prepared))
      return Symbol.asyncIterator in opened ? streamOf(opened) : answerOf(opened)
    },
    toGraphQLError: (error) => (error instanceof GraphQLError ? error : new GraphQLError('Internal')),
  }
}

type Message = { type: string; id?: string; payload?: unknown }
export type Transcript = { messages: Message[]; close: { code: number; reason: string } | undefined; pings: boolean[] }

const openGraphqlWs = createGraphqlWsProtocol<Prepared>()

export function openConnection(name: ProtocolName, operationsMax = 3) {
  const transcript: Transcript = { messages: [], close: undefined, pings: [] }
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const take = (frames: Buffer) => {
    if (!transcript.close) for (const text of textsIn(frames)) transcript.messages.push(JSON.parse(text))
  }
  const peer: Peer = {
    outgoing: {
      post: take,
      postIfRoom(frame) {
        take(frame)
        return true
      },
      async send(frame) {
        take(frame)
      },
    },
    close(code, reason) {
      transcript.close ??= { code, reason }
      void connection.end()
    },
  }
  const open: OpenProtocol<Prepared> = name === 'lean' ? openLeanProtocol : openGraphqlWs
  const connection = open(peer, operationsWith(released, operationsMax))
  return {
    connection,
    transcript,
    release,
    receive: (text: string) => void transcript.pings.push(connection.receive(text)),
    /** Resolves when everything that does not hang is done. The longest operation takes a few turns of the event loop. */
    async settled(): Promise<void> {
      for (let turn = 0; turn < 8; turn += 1) await aMoment()
    },
  }
}

/** Reads the unmasked text frames of a server. */
function textsIn(bytes: Buffer): string[] {
  const texts: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const short = bytes.readUInt8(at + 1)
    const [length, head] = short < 126 ? [short, 2] : [bytes.readUInt16BE(at + 2), 4]
    texts.push(bytes.toString('utf8', at + head, at + head + length))
    at += head + length
  }
  return texts
}
