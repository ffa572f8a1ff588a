import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGroup, leave, updateMembers } from '../../kit/group-of.ts'
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

  it('a user is a file of lines: what is kept of them and what they wrote, and nothing that others wrote', async () => {
    const alice = await world.person('alice', { displayName: 'Alice' })
    const [bob, carol] = [await world.person('bob', { node: 1 }), await world.person('carol')]
    const { id: groupId } = await createGroup(bob, [alice, carol], { title: 'Tea' })
    await bob.send({ conversationId: groupId }, 'a secret of bob')
    await alice.react(groupId, 2, '👍')
    await carol.react(groupId, 2, '🎉')
    await alice.send({ conversationId: groupId }, 'words of alice')
    await bob.react(groupId, 5, '👋')
    const { id: leftId } = await createGroup(bob, [alice], { title: 'Left' })
    await alice.send({ conversationId: leftId }, 'and goodbye')
    await leave(alice, leftId)
    const chatId = world.chatOf(alice, carol)
    await alice.send(carol, 'helo')
    await alice.edit(chatId, 1, 'hello')
    await carol.send(alice, 'a secret of carol')
    await alice.markRead(chatId, 3)
    const input = (fields: object) => ({ input: fields })
    await alice.ask('mutation ($input: SetBlockedInput!) { setBlocked(input: $input) { userId } }', {
      ...input({ userId: carol.userId, blocked: true }),
    })
    await carol.ask('mutation ($input: SetBlockedInput!) { setBlocked(input: $input) { userId } }', {
      ...input({ userId: alice.userId, blocked: true }),
    })
    const report = 'mutation ($input: ReportUserInput!) { reportUser(input: $input) { reportId } }'
    await alice.ask(report, input({ userId: bob.userId, reason: 'SPAM', comment: 'too much tea' }))
    await bob.ask(report, input({ userId: alice.userId, reason: 'OTHER', comment: 'a secret of bob' }))

    const [head, user, ...rest] = await exported(backend, 'exportUser', alice.userId, world.url())
    expect(head).toMatchObject({ type: 'export', kind: 'user', format: 1 })
    expect(user).toMatchObject({ type: 'user', id: alice.userId, nameOfToken: 'Alice' })
    expect(JSON.stringify(rest)).not.toContain('secret')
    const of = (type: string) => rest.filter((line) => line.type === type)
    expect(of('block')).toEqual([{ type: 'block', userId: carol.userId }])
    expect(of('report')).toMatchObject([{ userId: bob.userId, reason: 'SPAM', comment: 'too much tea' }])
    expect(of('reaction')).toMatchObject([{ conversationId: groupId, messageSeq: 2, emoji: '👍' }])
    const places = new Map(of('membership').map((each) => [each.conversationId, each]))
    expect(places.size).toBe(3)
    expect(places.get(groupId)).toMatchObject({ kind: 'GROUP', title: 'Tea', role: 'MEMBER', joinedSeq: 1 })
    expect(places.get(leftId)).toMatchObject({ isMember: false, leftAt: expect.any(String) as string })
    expect(places.get(chatId)).toMatchObject({ kind: 'DIRECT', isMember: true, lastReadSeq: 3 })
    const messages = of('message').map(
      ({ conversationId, seq, body }) => `${String(conversationId)} ${String(seq)} ${String(body)}`,
    )
    expect(messages.sort()).toEqual(
      [`${groupId} 5 words of alice`, `${leftId} 2 and goodbye`, `${chatId} 1 hello`].sort(),
    )
    expect(of('message').find(({ seq }) => seq === 1)).toHaveProperty('editedAt')
    expect(rest.at(-1)).toEqual({ type: 'end', lines: rest.length + 1 })
    await expect(begin(backend, 'exportUser', 'nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
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
