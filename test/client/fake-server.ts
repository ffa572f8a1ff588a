import { onTestFinished, vi } from 'vitest'
import { type ChatOptions, ClientError, createChat, memoryStorage } from '../../packages/client/src/index.ts'
import { boundary, conversation, event, list, message, nameOf, page, settled } from './kit.ts'

// A whole chat as an application gets it; the test is the server, behind fetch.

export const chatAt = (seq: number, shape: Parameters<typeof conversation>[0] = {}) =>
  conversation({ lastMessage: seq > 0 ? message(seq) : null, ...shape })

/** What there is to do comes in several turns of the loop: streams hand over from one to the next. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 10; i += 1) await settled()
}

export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  await turns()
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the document takes.
type Variables = any
export type Answer = (variables: Variables) => unknown
type Stream = {
  name: string
  variables: Variables
  over: boolean
  say(data: unknown): Promise<void>
  cut(): Promise<void>
}

/** Answers as told; what is not told has a sensible answer. An answer that is an error is one. */
export function startServer(told: Record<string, Answer> = {}) {
  const calls: { name: string; variables: Variables; token: string }[] = []
  const streams: Stream[] = []
  const answers: Record<string, Answer> = {
    Viewer: () => ({ viewer: { id: 'alice', name: null } }),
    Conversations: () => list([chatAt(0)]),
    Conversation: () => ({ conversation: chatAt(0) }),
    Messages: () => page([]),
    Ack: ({ input: { conversationId, seq } }) => ({ ack: { ticks: boundary('alice', seq, 0, conversationId) } }),
    MarkRead: ({ input: { conversationId, seq } }) => ({
      markRead: { ticks: boundary('alice', seq, seq, conversationId) },
    }),
    ...told,
  }

  const fetchIt = async (_url: unknown, { body, headers, signal }: RequestInit = {}): Promise<Response> => {
    const { query, variables } = JSON.parse(String(body))
    const { accept, authorization = '' } = headers as Record<string, string>
    const name = nameOf(query)
    calls.push({ name, variables, token: authorization })
    const data =
      accept === 'text/event-stream' ? answers[`stream ${name}`]?.(variables) : await answers[name]?.(variables)
    if (data instanceof ClientError) {
      const { message: text, code, retryable, field } = data
      return Response.json({ errors: [{ message: text, extensions: { code, retryable, field } }] }, { status: 400 })
    }
    return accept === 'text/event-stream' ? streamOf(name, variables, signal as AbortSignal) : Response.json({ data })
  }

  function streamOf(name: string, variables: Variables, signal: AbortSignal): Response {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const stream: Stream = {
          name,
          variables,
          over: false,
          async say(data) {
            controller.enqueue(new TextEncoder().encode(`event: next\ndata: ${JSON.stringify({ data })}\n\n`))
            await turns()
          },
          async cut() {
            controller.error(new TypeError('terminated'))
            await turns()
          },
        }
        signal.addEventListener('abort', () => {
          stream.over = true
          controller.error(new DOMException('aborted', 'AbortError'))
        })
        streams.push(stream)
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

  return {
    answers,
    calls,
    streams,
    fetch: fetchIt as typeof fetch,
    /** What was asked of this name. */
    asked: (name: string): Variables[] => calls.filter((each) => each.name === name).map(({ variables }) => variables),
    hear: (seq: number, shape: Parameters<typeof message>[1] = {}, previousSeq = seq - 1) =>
      latest(streams, 'MessageAdded').say({ messageAdded: event(message(seq, shape), previousSeq) }),
  }
}

export function latest(streams: Stream[], name: string): Stream {
  const found = streams.findLast((each) => each.name === name)
  if (!found) throw new Error(`Nobody follows ${name}.`)
  return found
}

export type Server = ReturnType<typeof startServer>

export async function startChat(server: Server, options: Partial<ChatOptions> = {}) {
  let made = 0
  const chat = createChat({
    url: 'http://chat/graphql',
    userId: 'alice',
    token: () => 't',
    storage: memoryStorage(),
    transports: ['sse'],
    fetch: server.fetch,
    random: () => 0,
    randomId: () => `id${++made}`,
    ...options,
  })
  onTestFinished(() => chat.close())
  const told: string[] = []
  chat.onMessage(({ seq, body }) => told.push(`${seq} ${body}`))
  await turns()
  return { chat, told }
}
