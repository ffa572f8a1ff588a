import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { directConversationId } from '../../src/domain/conversations/conversation-id.ts'
import { openKeyValueLmdb } from '../../src/engine/key-value/key-value.lmdb.ts'
import type { ConversationId, UserId } from '../../src/protocol/ids.ts'
import type { KillAtWrite } from '../chaos/faults/plan.ts'
import { bundle } from './bundle.ts'
import { alice, bob, carol, createNode, liveTheDay, type Told } from './day.ts'

// The day is lived in a process that is killed at a write, and lived again on what is on the disk: in the suite for each fifth write of the
// day, in `npm run proofs` for every one. What was answered must be answered the same, and the log must be as if nothing had happened.

const killAtWrite = fileURLToPath(new URL('../chaos/faults/kill-at-write.mjs', import.meta.url))
const atATime = 3
const everyNth = Number(process.env.KILL_EVERY_NTH ?? 5)
/** A kill takes nothing that the kernel has, so memory does as well as a disk, and need not be waited for. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
let script: Awaited<ReturnType<typeof bundle>>
beforeAll(async () => {
  script = await bundle('live-and-die.ts')
})
afterAll(() => script.remove())

type Life = { killed: boolean; told: Told[] }

async function live(directory: string, kill: KillAtWrite): Promise<Life> {
  const child = spawn(process.execPath, ['--import', killAtWrite, script.path, directory], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  const exited = once(child, 'exit')
  const said = text(child.stdout as NodeJS.ReadableStream)
  child.send({ killAtWrite: kill })
  const [code, signal] = await exited
  expect(code === 0 || signal === 'SIGKILL').toBe(true)
  const lines = (await said).split('\n').filter(Boolean)
  return { killed: signal === 'SIGKILL', told: lines.map((line) => JSON.parse(line) as Told) }
}

/** Lives the day again, in this process, and returns what anybody can see in the end. */
async function liveAgain(directory: string) {
  const engine = await openKeyValueLmdb({ directory })
  try {
    const { domain, ports } = createNode(engine)
    const told: Told[] = []
    await liveTheDay(domain, (each) => told.push(each))
    const group = String(told.find(({ step }) => step === 'a group')?.answer.group) as ConversationId
    const chats = [directConversationId(alice, bob), directConversationId(alice, carol), group]
    const logs = await Promise.all(chats.map((id) => ports.messages.above(id, 0, 1000)))
    const streamed = await Promise.all([streamOf(alice, chats), streamOf(bob, chats.slice(0, 1))])
    const chat = chats[0] as ConversationId
    const lastSeq = logs[0]?.findLast(({ kind }) => kind !== 'void')?.seq ?? 0
    await domain.ack(await domain.access.member(bob, chat), lastSeq)
    return { told, logs, streamed, pending: await ports.pending.list(bob) }

    /** Reads the user's stream from the beginning, as far as there are messages. */
    async function streamOf(userId: UserId, ids: readonly ConversationId[]): Promise<string[]> {
      const after = await Promise.all(
        ids.map(async (id) => ({ member: await domain.access.member(userId, id), seq: 0 })),
      )
      const count = logs.flat().filter((row) => row.kind === 'message' && ids.includes(row.conversationId)).length
      const stream = await domain.follow({ userId, after })
      const got: string[] = []
      while (got.length < count) {
        const { row } = (await stream.next()).value
        got.push(`${row.conversationId} ${row.seq} ${row.body}`)
      }
      await stream.return?.()
      return got
    }
  } finally {
    await engine.close()
  }
}

type Again = Awaited<ReturnType<typeof liveAgain>>

const messagesOf = ({ logs }: Again): string[][] =>
  logs.map((rows) => rows.flatMap((row) => (row.kind === 'message' ? [row.body] : [])))

function judge(at: string, before: Life, again: Again): void {
  for (const { step, answer } of before.told) {
    const repeated = again.told.find((each) => each.step === step)?.answer
    const expected = 'duplicate' in answer ? { ...answer, duplicate: true } : answer
    expect(repeated, `${step}, after a kill ${at}`).toEqual(expected)
  }
  const [chat = [], other = [], group = []] = messagesOf(again)
  // Those that were sent at once come in any order.
  expect([chat.slice(0, 2), chat.slice(2, 4).sort(), chat.slice(4)], at).toEqual([
    ['the first message', 'the second message, edited'],
    ['one of three at once', 'two of three at once'],
    ['a reply, which also reads'],
  ])
  expect([other, group], at).toEqual([['three of three at once'], ['hello, group', 'hello, carol']])
  for (const rows of again.logs)
    expect(
      rows.map(({ seq }) => seq),
      at,
    ).toEqual(rows.map((_row, i) => i + 1))
  const stored = again.logs.map((rows) =>
    rows.flatMap((row) => (row.kind === 'message' ? [`${row.conversationId} ${row.seq} ${row.body}`] : [])),
  )
  const byChat = (lines: string[]) =>
    stored.map(([first = '']) => lines.filter((line) => line.startsWith(`${first.split(' ')[0]} `)))
  expect(byChat(again.streamed[0] ?? []), at).toEqual(stored)
  expect(again.streamed[1], at).toEqual(stored[0])
  expect(again.pending, at).toEqual([])
}

async function killAndLiveAgain(kill: KillAtWrite): Promise<boolean> {
  const directory = await mkdtemp(join(place, 'parley-kill-'))
  try {
    const before = await live(directory, kill)
    judge(`when write ${kill.writes} was ${kill.moment}`, before, await liveAgain(directory))
    return before.killed
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

it.each(['given', 'answered'] as const)(
  'a kill when a write is %s, at any write of a day, loses and doubles nothing',
  async (moment) => {
    let next = Math.ceil(everyNth / 2)
    let kills = 0
    let isOver = false
    async function work(): Promise<void> {
      while (!isOver) {
        const writes = next
        next += everyNth
        if (await killAndLiveAgain({ writes, moment })) kills += 1
        else isOver = true
      }
    }
    await Promise.all(Array.from({ length: atATime }, work))
    expect(kills).toBeGreaterThan(40 / everyNth)
  },
)
