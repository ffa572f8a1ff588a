import { once } from 'node:events'
import { connect } from 'node:net'
import WebSocket from 'ws'
import type { Person } from '../kit/person.ts'

type Refused = string | number
/** What an attacker or a broken app does, and the one way it ends. */
type BadDeed = { expected: Refused; try(person: Person, random: () => number): Promise<Refused | undefined> }

const graphql = async ({ url, token }: Person, body: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
    body,
  })
  const answer = (await response.json()) as { errors?: { extensions: { code: string } }[] }
  return answer.errors?.[0]?.extensions.code
}

/** Resolves with the code the server closes with. */
async function closedAfter({ url }: Person, frames: (string | Buffer)[], protocol = 'graphql-transport-ws') {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, protocol)
  socket.on('error', () => undefined)
  socket.once('open', () => {
    for (const frame of frames) socket.send(frame)
  })
  const [code] = (await once(socket, 'close')) as [number]
  return code
}

const query = (text: string, variables: object = {}) => JSON.stringify({ query: text, variables })

/** Never the same twice, so that no cache of documents holds it already. */
const strangeDocument = (number: number) => query(`{ nobody${String(number).slice(2)} }`)

const badDeeds: BadDeed[] = [
  { expected: 'GRAPHQL_PARSE_FAILED', try: (person) => graphql(person, query('{ viewer { ')) },
  { expected: 'GRAPHQL_VALIDATION_FAILED', try: (person, random) => graphql(person, strangeDocument(random())) },
  { expected: 'QUERY_TOO_COMPLEX', try: (person) => graphql(person, query('{ a'.repeat(500) + '}'.repeat(500))) },
  { expected: 'BAD_USER_INPUT', try: (person) => graphql(person, '{"query":') },
  { expected: 'BAD_USER_INPUT', try: (person) => graphql(person, 'x'.repeat(200_000)) },
  {
    expected: 'UNAUTHENTICATED',
    try: (person) => graphql(person, query('{ viewer { id } }'), { authorization: 'Bearer nonsense' }),
  },
  {
    expected: 'INVALID_CURSOR',
    try: (person) => graphql(person, query('{ conversations(after: "nonsense") { edges { cursor } } }')),
  },
  {
    expected: 'NOT_FOUND',
    try: (person) => graphql(person, query('{ messages(conversationId: "dm_x") { edges { cursor } } }')),
  },
  { expected: 4400, try: (person) => closedAfter(person, ['nonsense']) },
  { expected: 4401, try: (person) => closedAfter(person, ['{"type":"subscribe","id":"1","payload":{"query":"{a}"}}']) },
  { expected: 4403, try: (person) => closedAfter(person, ['{"type":"connection_init"}']) },
  { expected: 4406, try: (person) => closedAfter(person, [], 'graphql-ws') },
  { expected: 1009, try: (person) => closedAfter(person, [Buffer.alloc(100_000, 32)]) },
  { expected: 'gone', try: halfARequest },
]

/** Headers, half a body, and silence for ever. */
async function halfARequest({ url }: Person): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(
    'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"query"',
  )
  await new Promise(setImmediate)
  socket.destroy()
  return 'gone'
}

/** Resolves with undefined if it ended as it must. */
export async function doBad(person: Person, random: () => number): Promise<string | undefined> {
  const deed = badDeeds[Math.floor(random() * badDeeds.length)]
  const ended = await deed?.try(person, random)
  // Counted like anybody else's.
  if (ended === 'UNAVAILABLE') throw Object.assign(new Error(ended), { code: ended })
  return ended === deed?.expected ? undefined : `${ended} where ${deed?.expected} was expected`
}
