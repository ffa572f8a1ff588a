import { frameOf, type LoadSocket, openSocket } from './web-socket.ts'

/** A socket that speaks graphql-transport-ws, past its handshake. */
export type GraphQLSocket = LoadSocket & {
  /** The frame of an operation, prepared. */
  operation(id: string, query: string, variables: object): Buffer
}

export type Somebody = { userId: string; token: string }

export async function openGraphQLSocket(port: number, { userId, token }: Somebody): Promise<GraphQLSocket> {
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

/** Asks once; for preparations, not for the load. */
export function askOnce(socket: GraphQLSocket, query: string, variables: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.onText = (payload) => {
      const told = JSON.parse(String(payload)) as { type: string; payload?: { data?: unknown; errors?: unknown } }
      if (told.type === 'error' || told.payload?.errors) reject(new Error(String(payload)))
      if (told.type === 'next') resolve(told.payload?.data)
    }
    socket.send(socket.operation('once', query, variables))
  })
}
