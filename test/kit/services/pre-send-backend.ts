import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'

type Asked = { headers: IncomingHttpHeaders; text: string; draft: Record<string, unknown> }
/** Answers a request as it likes; an object is answered as JSON with status 200. */
type Say = (response: ServerResponse, draft: Asked['draft']) => object | undefined

export type PreSendBackend = Awaited<ReturnType<typeof startPreSendBackend>>

/** Plays the operator's backend, which is asked before a message is stored. It allows everything until it is told otherwise. */
export async function startPreSendBackend() {
  const asked: Asked[] = []
  const allow: Say = () => ({ decision: 'allow' })
  let say = allow
  let connections = 0

  const server = createServer((request, response) => void handle(request, response))
  server.on('connection', () => {
    connections += 1
  })
  const { origin, stop } = await listen(server)

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const draft = JSON.parse(text) as Asked['draft']
    asked.push({ headers: request.headers, text, draft })
    const answer = say(response, draft)
    if (answer) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }

  return {
    url: `${origin}/pre-send`,
    asked,
    connections: () => connections,
    /** Sets what is answered from now on. */
    says(next: Say | object): void {
      say = typeof next === 'function' ? (next as Say) : () => next
    },
    /** Forgets what it was asked and told. */
    reset(): void {
      asked.length = 0
      say = allow
    },
    stop,
  }
}
