import { expect, it, onTestFinished, vi } from 'vitest'
import { signToken } from '../kit/person.ts'
import { startWorld } from '../kit/world.ts'
import { createRandom } from '../simulation/random.ts'
import { checkReceipts } from './checks/check-runtime.ts'
import { createFinalLog } from './checks/final-log.ts'
import { emptyHistory } from './checks/history.ts'
import { createTenures } from './checks/tenures.ts'
import { askFinalTicks } from './final-ticks.ts'
import { createClient } from './people/client.ts'
import { createGroupHints } from './people/group-hints.ts'
import { createRuntimeDevice } from './people/runtime-device.ts'

it('what an application reads in the last moment is judged when the client runtime has told it', async () => {
  const world = await startWorld()
  onTestFinished(() => world.stop())
  const [bob, alice] = [await world.person('bob'), await world.person('alice')]
  const first = await bob.send({ userId: alice.userId }, 'hello')
  const { conversationId } = first
  const history = emptyHistory({ [conversationId]: [alice.userId, bob.userId] })
  const [quiet, over] = [new AbortController(), new AbortController()]
  const token = await signToken(alice.userId)
  const about = { userId: alice.userId, token, nodes: [world.url()], history, nowMs: () => performance.now() }
  // It reads everything, and as late as it ever does.
  const random = { ...createRandom(1), chance: () => true, between: (_from: number, to: number) => to }
  const desk = createClient({ ...about, client: 'alice/desk', random })
  const app = createRuntimeDevice({
    ...{
      ...about,
      client: 'alice/app',
      random,
      conversationIds: [conversationId],
      users: [],
      hints: createGroupHints(),
    },
    ...{ established: new Set([conversationId]), meanPauseMs: 450, onAway: () => Promise.resolve() },
    ...{ quiet: quiet.signal, over: over.signal },
  })
  quiet.abort()
  const running = app.run()
  await vi.waitFor(() =>
    expect(app.lacks({ messages: new Map([[conversationId, [1]]]), changes: new Map() })).toBe(undefined),
  )

  await app.finishReading()
  const messages = history.streams.flatMap(({ events }) => events.map(({ message }) => message))
  history.walks.push({
    ...{ node: world.url(), userId: alice.userId, conversationId },
    direction: 'newest first',
    messages,
  })
  const ask = async () => void (await desk.ticks(conversationId))
  await askFinalTicks({ history, tables: [], ask, nowMs: about.nowMs, giveUpAtMs: about.nowMs() + 20_000 })
  over.abort()
  await running
  await desk.close()

  expect(history.runtimes[0]?.reads).toMatchObject([{ conversationId, seq: 1 }])
  expect(checkReceipts(history, createFinalLog(history), createTenures(history))).toEqual([])
})
