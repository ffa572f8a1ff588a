import { mustRetry } from './troubles.ts'
import { frameOf, type LoadSocket, openSocket } from './web-socket.ts'

/** A socket that speaks graphql-transport-ws, past its handshake. */
export type GraphQLSocket = LoadSocket & {
  /** Prepares the frame of an operation. */
  operation(id: string, query: string, variables: object): Buffer
}

export type Account = { userId: string; token: string }

export async function openGraphQLSocket(port: number, { userId, token }: Account): Promise<GraphQLSocket> {
  const socket = await openSocket({ port, path: '/graphql', protocol: 'graphql-transport-ws' })
  const acknowledged = new Promise<void>((resolve) => {
    socket.onText = (payload) => payload.includes('connection_ack') && resolve()
  })
  // Ours looks at the token; the others believe the name.
  socket.send(
    frameOf(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}`, userId } })),
  )
  await acknowledged
  return Object.assign(socket, { operation: operationFrame })
}

export const operationFrame = (id: string, query: string, variables: object): Buffer =>
  frameOf(JSON.stringify({ id, type: 'subscribe', payload: { query, variables } }))

let asked = 0

/** Asks until there is an answer. This is for preparations, not for the load. */
export function ask(socket: GraphQLSocket, query: string, variables: object): Promise<unknown> {
  return new Promise((resolve) => {
    const send = () => {
      asked += 1
      socket.send(socket.operation(`ask-${asked}`, query, variables))
    }
    socket.onText = (payload) => {
      if (mustRetry(String(payload))) return send()
      const told = JSON.parse(String(payload)) as { type: string; payload?: { data?: unknown } }
      if (told.type === 'next') resolve(told.payload?.data)
    }
    send()
  })
}
