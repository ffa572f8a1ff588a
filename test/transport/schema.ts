// Stands in for the real schema: fields that succeed, fail, hang and stream on command.

import { buildSchema, type GraphQLObjectType, type GraphQLSchema } from 'graphql'
import { ChatError } from '../../src/protocol/errors.ts'
import type { Viewer } from '../../src/protocol/viewer.ts'

const sdl = /* GraphQL */ `
  input Recipient @oneOf { userId: ID, conversationId: ID }
  input Position { conversationId: ID!, seq: Int! }
  input SendInput { clientMessageId: ID!, to: Recipient!, body: String!, after: [Position!] }
  type Node { node: Node, id: ID! }
  type Event { number: Int!, text: String!, contextNumber: Int! }
  type Query {
    me: String!
    name: String
    echo(text: String!): String!
    positions(after: [Position!]): Int
    maybe: String
    broken: String
    brokenNumber: Int
    refused(code: String!): String
    hang: String
    node: Node
    contextNumber: Int!
    list(values: [[[[Int]]]]): Int
  }
  type Mutation { send(input: SendInput!): String!  hang: String }
  type Subscription { events: Event!  refused: Event! }
`

type Context = { viewer: Viewer | undefined; number: number }

/** What the test does to the fields, and what it sees of them. */
export type Stage = ReturnType<typeof createStage>

function createStage() {
  let contexts = 0
  const sources: Source[] = []
  const watchers = new Set<() => void>()
  const held = new Set<() => void>()
  return {
    sources,
    createContext: (viewer: Viewer | undefined): Context => {
      contexts += 1
      return { viewer, number: contexts }
    },
    /** Fails that many times before `Event.text` resolves. */
    textFailures: 0,
    textError: new Error('the text is broken') as Error,
    textCalls: 0,
    hangText: false,
    textPadding: '',
    openSource(): Source {
      const source = createSource()
      sources.push(source)
      for (const watch of watchers) watch()
      return source
    },
    /** The nth subscription's source, as soon as there is one. */
    source: (index = 0): Promise<Source> =>
      new Promise((resolve) => {
        const watch = () => {
          const source = sources[index]
          if (!source) return
          watchers.delete(watch)
          resolve(source)
        }
        watchers.add(watch)
        watch()
      }),
    hold: (): Promise<string> =>
      new Promise((resolve) => {
        held.add(() => resolve('released'))
        for (const watch of watchers) watch()
      }),
    /** Resolves when that many fields hang. */
    hanging: (count = 1): Promise<void> =>
      new Promise((resolve) => {
        const watch = () => {
          if (held.size < count) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        watch()
      }),
    /** Resolves when no event was resolved for a while. */
    async quiet(): Promise<void> {
      for (let calls = -1; calls !== this.textCalls; ) {
        calls = this.textCalls
        for (let turn = 0; turn < 500; turn += 1) await new Promise(setImmediate)
      }
    },
    releaseAll() {
      for (const release of held) release()
      held.clear()
      for (const source of sources) source.letGo()
    },
  }
}

type Source = ReturnType<typeof createSource>

/** A source of events in the test's hands. Its `return` may be held up, and does not wait for a pending `next`. */
export function createSource() {
  const queue: { number: number }[] = []
  let failure: unknown
  let over = false
  let wake: () => void = () => undefined
  let letGo: () => void = () => undefined
  let reportReturn: () => void = () => undefined
  let release: Promise<void> = Promise.resolve()
  const returned = new Promise<void>((resolve) => {
    reportReturn = resolve
  })
  return {
    taken: 0,
    /** Resolves when `return` was called. */
    returned,
    letGo: () => letGo(),
    holdReturn() {
      release = new Promise((resolve) => {
        letGo = resolve
      })
    },
    push(...numbers: number[]) {
      queue.push(...numbers.map((number) => ({ number })))
      wake()
    },
    fail(error: unknown) {
      failure = error
      wake()
    },
    end() {
      over = true
      wake()
    },
    [Symbol.asyncIterator]() {
      return this
    },
    async next(): Promise<IteratorResult<{ number: number }>> {
      for (;;) {
        const value = queue.shift()
        if (value) {
          this.taken += 1
          return { done: false, value }
        }
        if (failure) throw failure
        if (over) return { done: true, value: undefined }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    async return(): Promise<IteratorResult<{ number: number }>> {
      reportReturn()
      await release
      return { done: true, value: undefined }
    },
  }
}

export function createTestSchema(): { schema: GraphQLSchema; stage: Stage } {
  const stage = createStage()
  const schema = buildSchema(sdl)
  const known = ({ viewer }: Context): Viewer => {
    if (!viewer) throw new ChatError('UNAUTHENTICATED', 'Expected a token.')
    return viewer
  }
  type Resolve = (root: never, args: never, context: Context) => unknown
  const resolvers: Record<string, Record<string, Resolve>> = {
    Query: {
      me: (_root, _args, context) => known(context).userId,
      name: (_root, _args, context) => known(context).name,
      echo: (_root, { text }: { text: string }) => text,
      positions: (_root, { after }: { after?: unknown[] }) => after?.length ?? 0,
      broken: () => {
        throw new Error('select * from internals')
      },
      brokenNumber: () => 'not a number',
      refused: (_root, { code }: { code: 'RATE_LIMITED' }) => {
        throw new ChatError(
          code,
          'Refused.',
          { field: 'code', retryAfterMs: 1500 },
          { cause: new Error('hidden cause') },
        )
      },
      hang: () => stage.hold(),
      node: () => ({ id: '1' }),
      contextNumber: (_root, _args, context) => context.number,
    },
    Node: { node: () => ({ id: '1' }) },
    Mutation: {
      send: (_root, { input }: { input: { body: string } }) => input.body,
      hang: () => stage.hold(),
    },
    Event: {
      text: ({ number }: { number: number }) => {
        stage.textCalls += 1
        if (stage.textFailures > 0) {
          stage.textFailures -= 1
          throw stage.textError
        }
        if (stage.hangText) return stage.hold()
        return `event ${number}${stage.textPadding}`
      },
      contextNumber: (_root, _args, context) => context.number,
    },
  }
  for (const [type, fields] of Object.entries(resolvers)) {
    for (const [name, resolve] of Object.entries(fields)) fieldOf(schema, type, name).resolve = resolve as never
  }
  const events = fieldOf(schema, 'Subscription', 'events')
  events.subscribe = (_root, _args, context) => {
    known(context)
    return stage.openSource()
  }
  events.resolve = (event) => event
  fieldOf(schema, 'Subscription', 'refused').subscribe = () => {
    throw new ChatError('NOT_FOUND', 'There is no such thing.')
  }
  return { schema, stage }
}

function fieldOf(schema: GraphQLSchema, type: string, name: string) {
  const field = (schema.getType(type) as GraphQLObjectType<unknown, Context>).getFields()[name]
  if (!field) throw new Error(`${type}.${name} is not in the schema.`)
  return field
}
