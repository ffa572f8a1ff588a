import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { listen } from './listen.ts'

export type ReceivedEvent = {
  id: string
  type: string
  occurredAt: string
  conversationId: string | null
  seq: number | null
  data: Record<string, unknown>
}
type Received = { event: ReceivedEvent; headers: IncomingHttpHeaders; text: string; status: number }
/** Returns the status of the answer, or answers by itself and returns nothing. */
type Say = (event: ReceivedEvent, response: ServerResponse) => number | undefined

export type WebhookReceiver = Awaited<ReturnType<typeof startWebhookReceiver>>

/** Plays a backend that takes events. It takes everything until it is told otherwise, and verifies what it knows the secrets of. */
export async function startWebhookReceiver() {
  const received: Received[] = []
  const problems: string[] = []
  const underWay = new Map<string, number>()
  let secrets: readonly string[] = []
  let say: Say = () => 204

  const server = createServer((request, response) => void handle(request, response))
  const { origin, stop } = await listen(server)

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const event = JSON.parse(text) as ReceivedEvent
    const headers = request.headers as Record<string, string>
    for (const secret of secrets) {
      try {
        new Webhook(secret).verify(text, headers)
      } catch (error) {
        problems.push(`${event.id}: ${String(error)}`)
      }
    }
    if (headers['webhook-id'] !== event.id) problems.push(`${event.id} came as ${headers['webhook-id']}`)
    noteOverlap(event, response)
    const status = say(event, response)
    received.push({ event, headers, text, status: status ?? 0 })
    if (status !== undefined) response.writeHead(status).end()
  }

  function noteOverlap({ conversationId }: ReceivedEvent, response: ServerResponse): void {
    if (conversationId === null) return
    const count = (underWay.get(conversationId) ?? 0) + 1
    underWay.set(conversationId, count)
    if (count > 1) problems.push(`${conversationId} had ${count} at once`)
    response.on('close', () => underWay.set(conversationId, (underWay.get(conversationId) ?? 1) - 1))
  }

  return {
    url: `${origin}/parley`,
    received,
    /** What was wrong with a signature, or two of a conversation at once. */
    problems,
    verifies(...known: string[]): void {
      secrets = known
    },
    says(next: Say): void {
      say = next
    },
    /** Those that it has taken, in the order in which they came; of a repeated one the first. */
    taken(of?: string): ReceivedEvent[] {
      const all = received.filter(({ status }) => status >= 200 && status < 300).map(({ event }) => event)
      const first = new Map(all.toReversed().map((event) => [event.id, event]))
      return all.filter((event) => first.get(event.id) === event && (of === undefined || event.conversationId === of))
    },
    stop,
  }
}
