import { interleave, type Scenario, type Subject, type Who } from '../bench.ts'
import { chatOf } from '../load/chat-of.ts'
import { setTyping } from '../load/documents.ts'
import { openGraphQLSocket, operationFrame } from '../load/graphql-socket.ts'
import { completedOf, type Least, overSockets } from '../load/loops.ts'
import { frameOf, openSocket } from '../load/web-socket.ts'
import { createSheet } from '../sheet.ts'

// Measures a mutation that stores nothing, against a frame of the same length that comes back as it is. Ours passes on that a user is
// typing once in two seconds; the rest of the time it looks whether it should, and answers.

const subjects: readonly Who[] = ['parley', 'stock', 'mercurius', 'raw ws']
const underWay = 50

export const mutationWithoutStorage: Scenario = async (bench) => {
  const sheet = createSheet()
  const loops = []
  for (const who of subjects) loops.push(await loopOf(await bench.subject(who)))
  const warm = { ms: bench.choose({ quick: 200, default: 800, full: 3000 }), count: 15_000 }
  const round = { ms: bench.choose({ quick: 200, default: 250, full: 3000 }), count: 2000 }
  for (const { ask } of loops) await ask(warm)
  await interleave(bench.choose({ quick: 1, default: 5, full: 9 }), loops, async ({ subject, ask }) => {
    const { count, wallMs, serverMs } = await bench.meter(subject, () => ask(round))
    sheet.add(cpuPerMutation, subject.who, 'ms', serverMs / count, 'raw ws')
    sheet.add('mutation by WebSocket: per second, 50 under way', subject.who, '/s', (1000 * count) / wallMs, 'raw ws')
  })
  const ours = loops[0]
  if (bench.profiles !== undefined && ours) {
    await ours.subject.profiled(`${bench.profiles}/mutation.cpuprofile`, () => ours.ask({ ms: 3000, count: 0 }))
  }
  for (const { close } of loops) close()
  return sheet.measured()
}

export const cpuPerMutation = 'mutation by WebSocket: server CPU each'

async function loopOf(subject: Subject) {
  const { who, port } = subject
  const { alice, conversationId } = await conversation(subject)
  const frames = (encode: (id: string) => Buffer) => Array.from({ length: underWay }, (_, i) => encode(String(i)))
  const variables = { input: { conversationId, typing: true } }
  const payload = JSON.stringify({ type: 'subscribe', payload: { query: setTyping, variables } })
  if (who === 'raw ws') {
    const socket = await openSocket({ port, path: '/echo' })
    const padded = frames((id) => frameOf(`${id.padStart(9)}${payload}`))
    const echoed = (answer: Buffer) => Number(answer.toString('latin1', 0, 9))
    return { subject, ask: (least: Least) => overSockets([socket], padded, echoed, least), close: socket.close }
  }
  const socket = await openGraphQLSocket(port, alice)
  const operations = frames((id) => operationFrame(id, setTyping, variables))
  return { subject, ask: (least: Least) => overSockets([socket], operations, completedOf, least), close: socket.close }
}

const conversation = (subject: Subject) =>
  subject.who === 'raw ws'
    ? { alice: { userId: '', token: '' }, conversationId: 'dm_aaaaaaaaaaaaaaaaaaaaaaaaaaa' }
    : chatOf(subject, `typing-${subject.who}`, 1)
