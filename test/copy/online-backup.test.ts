import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { startNodeProcess } from '../kit/nodes/node-process.ts'
import { createPerson, line, type Person, testSecret } from '../kit/person.ts'
import { sharedService } from '../kit/shared-services.ts'
import { temporaryDirectory } from './places.ts'
import { runCopy } from './run-copy.ts'

async function startServer(dataDir: string) {
  const node = await startNodeProcess(await sharedService('server'), {
    STORE: 'embedded',
    DATA_DIR: dataDir,
    AUTH_JWT_SECRET: testSecret,
    DRAIN_DELAY_MS: '0',
  })
  onTestFinished(async () => void (await node.stop()))
  return node
}

type Sent = { conversationId: string; seq: number; body: string }

/** Lets the pairs talk without a pause. `acknowledged` grows until `stop`. */
function keepTalking(pairs: readonly (readonly [Person, Person])[]) {
  const acknowledged: Sent[] = []
  let isOver = false
  const talking = pairs.map(async ([one, other]) => {
    for (let i = 0; !isOver; i += 1) {
      const { conversationId, seq, body } = await one.send(other, `${one.userId} ${i}`)
      acknowledged.push({ conversationId, seq, body })
    }
  })
  return {
    acknowledged,
    async stop() {
      isOver = true
      await Promise.all(talking)
    },
  }
}

it('a backup of a server that is writing has all that was acknowledged before, and restores', async () => {
  const directory = await temporaryDirectory()
  const [dataDir, file, restored] = ['live', 'backup.jsonl', 'restored'].map((name) => join(directory, name)) as Three
  const live = await startServer(dataDir)
  const people = await Promise.all(
    ['ann', 'ben', 'cid', 'dan', 'eve', 'fay'].map((name) => createPerson(name, live.url)),
  )
  const [ann, ben, cid, dan, eve, fay] = people as [Person, Person, Person, Person, Person, Person]
  const pairs = [
    [ann, ben],
    [ben, ann],
    [cid, dan],
    [eve, fay],
    [fay, ann],
  ] as const
  const talk = keepTalking(pairs)
  await expect.poll(() => talk.acknowledged.length).toBeGreaterThan(100)
  const before = [...talk.acknowledged]
  const backup = await runCopy(`embedded:${dataDir}`, `file:${file}`)
  expect(backup).toMatchObject({ code: 0, complained: expect.stringContaining('A server is running on') })
  expect(backup.said).toContain('the counts and hashes of all tables agree')
  const during = talk.acknowledged.length - before.length
  await talk.stop()
  expect(during).toBeGreaterThan(0)

  const rows = (await readFile(file, 'utf8'))
    .split('\n')
    .slice(1, -2)
    .map((line) => JSON.parse(line))
  const cells = new Set(rows.filter(({ table }) => table === 'messages').map(({ row }) => cellOf(row)))
  const claims = rows.filter(({ table }) => table === 'sends').map(({ row }) => cellOf(row))
  expect(
    before.map(({ conversationId, seq }) => `${conversationId} ${seq}`).filter((cell) => !cells.has(cell)),
  ).toEqual([])
  // A claim comes before its message: of each sender one send can have been between the two.
  expect(claims.filter((cell) => !cells.has(cell)).length).toBeLessThanOrEqual(5)

  expect(await runCopy(`file:${file}`, `embedded:${restored}`)).toMatchObject({ code: 0 })
  const again = await startServer(restored)
  for (const [one, other] of pairs) {
    const { conversationId, seq } = await one.send(other, 'after the restore', { node: again.url })
    const known = before.filter((sent) => sent.conversationId === conversationId)
    expect(seq).toBeGreaterThan(Math.max(...known.map((sent) => sent.seq)))
    const { edges } = await one.history(conversationId, { last: 50 }, again.url)
    expect(edges.map(({ node }) => line(node))).toEqual(
      expect.arrayContaining(known.filter((sent) => sent.seq <= 50).map(line)),
    )
  }
})

it('nothing is copied to a directory on which a server runs, and the server goes on', async () => {
  const directory = await temporaryDirectory()
  const [dataDir, file] = [join(directory, 'live'), join(directory, 'backup.jsonl')]
  const live = await startServer(dataDir)
  expect(await runCopy(`embedded:${dataDir}`, `file:${file}`)).toMatchObject({ code: 0 })
  expect(await runCopy(`file:${file}`, `embedded:${dataDir}`)).toEqual({
    code: 1,
    said: '',
    complained: `A server is running on ${join(dataDir, 'store')}. Stop it before anything is copied there.`,
  })
  const ann = await createPerson('ann', live.url)
  expect((await ann.send({ userId: 'ben' }, 'still there')).seq).toBe(1)
})

it('a word that is no command starts no server', async () => {
  const child = spawn(process.execPath, [await sharedService('server'), 'backup'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [complained, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect({ code, complained }).toEqual({
    code: 1,
    complained:
      'There is no command backup. Without one, a node is started; parley copy --help is about copies; parley pre-send-secret prints what ' +
      'signs the questions to PRE_SEND_URL; parley cursor-secret prints what CURSOR_SECRET is, or would have to be to stay the same.\n',
  })
})

it('a mistake in the command is told in one line', async () => {
  expect(await runCopy('embedded:nowhere', 'elsewhere')).toEqual({
    code: 1,
    said: '',
    complained:
      'elsewhere is no place: it must be embedded:<data directory>, dynamodb, dynamodb:<table prefix> or file:<path>.',
  })
  expect(await runCopy('embedded:a', 'embedded:./a')).toMatchObject({
    code: 1,
    complained: '--from and --to are the same place.',
  })
  const directory = await temporaryDirectory()
  await mkdir(join(directory, 'damaged', 'store'), { recursive: true })
  await writeFile(join(directory, 'damaged', 'store', 'data.mdb'), Buffer.alloc(8192))
  await symlink(join(directory, 'damaged'), join(directory, 'link'))
  expect(await runCopy(`embedded:${directory}/link`, `embedded:${directory}/damaged`)).toMatchObject({
    code: 1,
    complained: '--from and --to are the same place.',
  })
  expect(await runCopy(`embedded:${directory}/damaged`, `file:${directory}/a`)).toMatchObject({
    code: 1,
    complained: expect.stringMatching(
      /^The copy has failed: \S+data\.mdb is damaged: it is not a whole LMDB file\..*$/,
    ),
  })
  expect(await runCopy('dynamodb', 'file:a')).toMatchObject({
    code: 1,
    complained: expect.stringMatching(/^DYNAMODB_ENDPOINT is missing: .*$/),
  })
})

type Three = [string, string, string]
const cellOf = (row: { conversation_id: string; seq: number }): string => `${row.conversation_id} ${row.seq}`
