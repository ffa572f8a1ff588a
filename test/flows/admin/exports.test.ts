import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGroup, updateMembers } from '../../kit/group-of.ts'
import { upTo } from '../../kit/ids.ts'
import { createService, type Service } from '../../kit/service.ts'
import { s3Credentials, startS3 } from '../../kit/services/s3.ts'
import { begin, ended, exported, linesOf, taskOf } from '../../kit/tasks.ts'
import { startWorld, type World } from '../../kit/world.ts'

describe.each(['disk', 'S3'])('exports on %s', (store) => {
  let world: World
  let backend: Service
  let s3: Awaited<ReturnType<typeof startS3>> | undefined
  beforeAll(async () => {
    s3 = store === 'S3' ? await startS3('files') : undefined
    const media = s3 && { bucket: 'files', endpoint: s3.endpoint, region: 'us-east-1', credentials: s3Credentials }
    const tasks = { lookMs: 1000, leaseMs: 30_000, partBytes: 100_000, settleMs: 0 }
    world = await startWorld({ nodes: 2, app: { tasks }, ...(media && { config: { media } }) })
    backend = await createService('backend', world.url(1))
  })
  afterAll(async () => {
    await world.stop()
    await s3?.stop()
  })

  it('a conversation is a file of lines: what it is, what was said, who came and went, and an end', async () => {
    const alice = await world.person('alice')
    const [bob, carol] = [await world.person('bob', { node: 1 }), await world.person('carol')]
    const { id } = await createGroup(alice, [bob], { title: 'Tea' })
    const to = { conversationId: id }
    await alice.send(to, 'first\nof two lines')
    await bob.send(to, 'secnd')
    await bob.edit(id, 3, 'second')
    await alice.react(id, 3, '👍')
    await alice.send(to, 'never mind')
    await alice.remove(id, 6)
    await updateMembers(alice, id, { add: [carol] })

    const [head, conversation, ...rest] = await exported(backend, 'exportConversation', id, world.url())
    expect(head).toMatchObject({ type: 'export', kind: 'conversation', format: 1 })
    expect(conversation).toMatchObject({ type: 'conversation', id, kind: 'GROUP', title: 'Tea' })
    expect(conversation?.members).toHaveLength(3)
    const of = { conversationId: id, kind: 'USER' }
    const ids = ({ userId }: { userId: string }) => userId
    expect(rest).toMatchObject([
      { type: 'groupChange', seq: 1, actorId: ids(alice), added: [alice, bob].map(ids), title: 'Tea' },
      { type: 'message', ...of, seq: 2, senderId: ids(alice), body: 'first\nof two lines' },
      {
        ...{ type: 'message', ...of, seq: 3, senderId: ids(bob), body: 'second' },
        ...{ editedAt: expect.any(String) as string, reactions: [{ emoji: '👍', userId: ids(alice) }] },
      },
      { type: 'message', ...of, seq: 6, deletedAt: expect.any(String) as string },
      { type: 'groupChange', seq: 8, added: [ids(carol)] },
      { type: 'end', lines: 7 },
    ])
    expect(rest[3]).not.toHaveProperty('body')
  })

  it('a long one is written in parts, of which nothing else remains', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    for (let i = 1; i <= 300; i += 30) {
      await Promise.all(upTo(30).map((n) => alice.send(bob, `${'x'.repeat(1000)} ${i + n}`)))
    }
    const id = world.chatOf(alice, bob)
    const lines = await exported(backend, 'exportConversation', id, world.url())
    expect(lines.filter(({ type }) => type === 'message').map(({ seq }) => seq)).toEqual(upTo(300))
    expect(lines.at(-1)).toEqual({ type: 'end', lines: 302 })
    if (store === 'S3') return
    const kept = await readdir(join(world.dataDir, 'media/exports'))
    expect(kept.filter((name) => name.includes('.'))).toEqual([])
  })

  it('a URL is signed for one file, and a task is known on every node', async () => {
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    await alice.send(bob, 'hello')
    const id = world.chatOf(alice, bob)
    const task = await begin(backend, 'exportConversation', id)
    expect(task).toMatchObject({ kind: 'exportConversation', url: null, finishedAt: null })
    const elsewhere = await createService('other', world.url(0))
    const { url } = await ended(elsewhere, task.id)
    const right = new URL(url ?? expect.fail(), world.url())
    expect(await linesOf(await fetch(right))).toHaveLength(4)
    const wrong = new URL(right)
    if (store === 'disk') wrong.searchParams.set('key', `exports/${randomUUID()}`)
    else wrong.pathname = `/files/exports/${randomUUID()}`
    expect((await fetch(wrong)).status).toBe(403)
  })

  it('there is no task for what does not exist', async () => {
    expect(await taskOf(backend, 'task_none')).toBeNull()
    await expect(begin(backend, 'exportConversation', 'grp_1')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
