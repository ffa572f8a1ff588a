import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGroup, leave } from '../../kit/group-of.ts'
import { upTo } from '../../kit/ids.ts'
import type { Person } from '../../kit/person.ts'
import { createService, type Service } from '../../kit/service.ts'
import { startWorld, type World } from '../../kit/world.ts'

// What users report, and what those see who look after the app.

let world: World
let backend: Service
beforeAll(async () => {
  world = await startWorld({ nodes: 2, config: { events: true } })
  backend = await createService('backend', world.url())
})
afterAll(() => world.stop())

type Words = { reason?: string; comment?: string }
const reportMessage = async (person: Person, conversationId: string, seq: number, words: Words = {}, node?: string) =>
  (
    await person.ask<{ reportMessage: { reportId: string } }>(
      'mutation ($input: ReportMessageInput!) { reportMessage(input: $input) { reportId } }',
      { input: { conversationId, seq, reason: 'SPAM', ...words } },
      node === undefined ? {} : { node },
    )
  ).reportMessage.reportId
const reportUser = async (person: Person, userId: string, words: Words = {}) =>
  (
    await person.ask<{ reportUser: { reportId: string } }>(
      'mutation ($input: ReportUserInput!) { reportUser(input: $input) { reportId } }',
      { input: { userId, reason: 'HARASSMENT', ...words } },
    )
  ).reportUser.reportId

type Report = {
  id: string
  state: string
  reporterId: string
  userId: string
  conversationId: string | null
  seq: number | null
  body: string | null
  reason: string
  comment: string | null
  resolution: string | null
}
const fields = 'id state reporterId userId conversationId seq body reason comment resolution createdAt'
type Page = { edges: { cursor: string; node: Report }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } }
const listed = async (args: { state?: string; first?: number; after?: string | null } = {}) =>
  (
    await backend.ask<{ reports: Page }>(
      `query ($state: ReportState, $first: Int, $after: String) {
        reports(state: $state, first: $first, after: $after) { edges { cursor node { ${fields} } } pageInfo { hasNextPage endCursor } }
      }`,
      args,
    )
  ).reports
const nodesOf = ({ edges }: Page): Report[] => edges.map(({ node }) => node)
const find = async (id: string) => nodesOf(await listed({ first: 100 })).find((report) => report.id === id)
const resolve = async (reportId: string, resolution: string) =>
  (
    await backend.ask<{ resolveReport: { report: Report } }>(
      `mutation ($input: ResolveReportInput!) { resolveReport(input: $input) { report { ${fields} } } }`,
      { input: { reportId, resolution } },
    )
  ).resolveReport.report

async function chat() {
  const [alice, mallory] = [await world.person('alice'), await world.person('mallory', { node: 1 })]
  const { seq, conversationId } = await mallory.send(alice, 'Buy my pills')
  return { alice, mallory, conversationId, seq }
}

describe('reportMessage', () => {
  it('keeps the message as it was, whatever becomes of it', async () => {
    const { alice, mallory, conversationId, seq } = await chat()
    const id = await reportMessage(alice, conversationId, seq, { comment: 'Third time today' })
    expect(id).toMatch(/^rep_[\w-]{22}$/)
    const kept = {
      ...{ id, state: 'OPEN', reporterId: alice.userId, userId: mallory.userId, conversationId, seq },
      ...{ body: 'Buy my pills', reason: 'SPAM', comment: 'Third time today', resolution: null },
    }
    expect(await find(id)).toMatchObject(kept)
    await mallory.edit(conversationId, seq, 'Have a nice day')
    expect(await reportMessage(alice, conversationId, seq, { reason: 'OTHER' }, world.url(1))).toBe(id)
    await mallory.remove(conversationId, seq)
    expect(await reportMessage(alice, conversationId, seq)).toBe(id)
    expect(await find(id)).toMatchObject(kept)
  })

  it('is one for each reporter, and another one only for what was edited after it was resolved', async () => {
    const { alice, mallory, conversationId, seq } = await chat()
    const id = await reportMessage(alice, conversationId, seq)
    await resolve(id, 'Nothing wrong with it')
    expect(await reportMessage(alice, conversationId, seq)).toBe(id)
    await mallory.edit(conversationId, seq, 'Buy my other pills')
    const next = await reportMessage(alice, conversationId, seq)
    expect(next).not.toBe(id)
    expect(await reportMessage(alice, conversationId, seq)).toBe(next)
    expect(await find(next)).toMatchObject({ state: 'OPEN', body: 'Buy my other pills' })

    const group = await createGroup(alice, [mallory, await world.person('bob')])
    const said = await mallory.send({ conversationId: group.id }, 'Buy!')
    const bob = await world.person('bob')
    await alice.ask('mutation ($input: UpdateMembersInput!) { updateMembers(input: $input) { __typename } }', {
      input: { conversationId: group.id, add: [bob.userId] },
    })
    // What was said before he came is not his to see.
    await expect(reportMessage(bob, group.id, said.seq)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const again = await mallory.send({ conversationId: group.id }, 'Buy!!')
    const ids = [await reportMessage(alice, group.id, again.seq), await reportMessage(bob, group.id, again.seq)]
    expect(new Set(ids).size).toBe(2)
    await leave(bob, group.id)
    await expect(reportMessage(bob, group.id, again.seq)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('refuses what cannot be reported', async () => {
    const { alice, mallory, conversationId, seq } = await chat()
    const code = (wanted: string, field?: string) => ({ code: wanted, ...(field && { field }) })
    const own = reportMessage(mallory, conversationId, seq)
    await expect(own).rejects.toMatchObject(code('BAD_USER_INPUT', 'seq'))
    for (const none of [seq + 1, 0, -1]) {
      await expect(reportMessage(alice, conversationId, none)).rejects.toMatchObject(code('NOT_FOUND'))
    }
    await alice.react(conversationId, seq, '👍')
    await expect(reportMessage(alice, conversationId, seq + 1)).rejects.toMatchObject(code('NOT_FOUND'))
    const long = reportMessage(alice, conversationId, seq, { comment: 'x'.repeat(1001) })
    await expect(long).rejects.toMatchObject(code('BAD_USER_INPUT', 'comment'))
    const id = await reportMessage(alice, conversationId, seq, { comment: ' \u200b ' })
    expect(await find(id)).toMatchObject({ comment: null })
    const stranger = await world.person('stranger')
    const refusal = (error: unknown) => ({ message: String(error) })
    const [here, nowhere] = await Promise.all([
      reportMessage(stranger, conversationId, seq).catch(refusal),
      reportMessage(stranger, 'dm_AAAAAAAAAAAAAAAAAAAAAAAAAAA', seq).catch(refusal),
    ])
    expect(here).toEqual(nowhere)
  })

  it('of a message that was deleted before keeps that there was one', async () => {
    const { alice, mallory, conversationId, seq } = await chat()
    await mallory.remove(conversationId, seq)
    const id = await reportMessage(alice, conversationId, seq, { comment: 'It was an insult' })
    expect(await find(id)).toMatchObject({ body: null, seq, userId: mallory.userId })
  })

  it('may be called so often in an hour, not counting what was reported before', async () => {
    const [alice, mallory] = [await world.person('alice'), await world.person('mallory')]
    const { conversationId } = await mallory.send(alice, 'message 1')
    for (const n of upTo(60).slice(1)) await mallory.send(alice, `message ${n}`)
    for (const seq of upTo(60)) await reportMessage(alice, conversationId, seq)
    await expect(reportUser(alice, mallory.userId)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    expect(await reportMessage(alice, conversationId, 60)).toMatch(/^rep_/)
  })
})

describe('reportUser', () => {
  it('reports a person, once until that is resolved', async () => {
    const { alice, mallory } = await chat()
    const id = await reportUser(alice, mallory.userId, { comment: 'Follows me' })
    expect(await reportUser(alice, mallory.userId)).toBe(id)
    expect(await find(id)).toMatchObject({
      ...{ userId: mallory.userId, reporterId: alice.userId, reason: 'HARASSMENT', comment: 'Follows me' },
      ...{ conversationId: null, seq: null, body: null },
    })
    await resolve(id, 'Warned')
    expect(await reportUser(alice, mallory.userId)).not.toBe(id)
    await expect(reportUser(alice, alice.userId)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'userId' })
  })

  it('tells strangers the same as of somebody who does not exist', async () => {
    const [alice, stranger] = [await world.person('alice'), await world.person('stranger')]
    await stranger.send(stranger, 'here I am')
    const refusalOf = (id: string) =>
      reportUser(alice, id, { comment: 'x'.repeat(2000) }).catch(({ code, message }) => ({ code, message }))
    const refusal = await refusalOf(stranger.userId)
    expect(refusal).toMatchObject({ code: 'NOT_FOUND' })
    expect(await refusalOf(`nobody-${randomUUID()}`)).toEqual(refusal)
    expect(await refusalOf('grp_1')).toEqual(refusal)
  })
})

describe('reports', () => {
  it('are listed newest first, by state, page by page', async () => {
    const [alice, mallory] = [await world.person('alice'), await world.person('mallory')]
    const { conversationId } = await mallory.send(alice, 'one')
    for (const body of ['two', 'three', 'four']) await mallory.send(alice, body)
    const ids: string[] = []
    for (const seq of upTo(4)) ids.unshift(await reportMessage(alice, conversationId, seq))
    const [newest = '', second = ''] = ids
    const all = nodesOf(await listed({ first: 4 }))
    expect(all.map(({ id }) => id)).toEqual(ids)
    await resolve(second, 'Deleted')
    expect(nodesOf(await listed({ first: 4 })).map(({ id, state }) => `${id} ${state}`)).toEqual(
      ids.map((id) => `${id} ${id === second ? 'RESOLVED' : 'OPEN'}`),
    )
    expect(nodesOf(await listed({ state: 'OPEN', first: 3 })).map(({ id }) => id)).toEqual(
      ids.filter((id) => id !== second),
    )
    const first = await listed({ first: 1 })
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, endCursor: first.edges[0]?.cursor })
    const next = await listed({ first: 3, after: first.pageInfo.endCursor })
    expect([...nodesOf(first), ...nodesOf(next)].map(({ id }) => id)).toEqual(ids)
    expect(nodesOf(await listed({ state: 'RESOLVED', first: 1 }))).toMatchObject([{ resolution: 'Deleted' }])
    await expect(listed({ after: 'nonsense' })).rejects.toMatchObject({ code: 'INVALID_CURSOR', field: 'after' })
    expect(newest).not.toBe(second)
  })

  it('are resolved once; a repeated call returns what stands', async () => {
    const { alice, conversationId, seq } = await chat()
    const id = await reportMessage(alice, conversationId, seq)
    const resolved = await resolve(id, 'Banned for a week')
    expect(resolved).toMatchObject({ id, state: 'RESOLVED', resolution: 'Banned for a week' })
    expect(await resolve(id, 'Banned for a week')).toEqual(resolved)
    expect(await resolve(id, 'Something else')).toEqual(resolved)
    await expect(resolve('rep_none', 'Nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(resolve(id, ' ')).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'resolution' })
  })

  it('are in the feed once each, and so are bans', async () => {
    const { alice, mallory, conversationId, seq } = await chat()
    const id = await reportMessage(alice, conversationId, seq)
    await reportMessage(alice, conversationId, seq)
    await backend.ask('mutation ($input: BanUserInput!) { banUser(input: $input) { user { banned } } }', {
      input: { userId: mallory.userId },
    })
    type Event = { type: string; data: { userId: string; reportId?: string } }
    const told: Event[] = []
    for (let after: string | undefined; ; ) {
      const { events } = await backend.ask<{ events: { events: Event[]; position: string; hasMore: boolean } }>(
        'query ($after: String) { events(after: $after, first: 1000) { events { type data } position hasMore } }',
        { after },
      )
      told.push(...events.events.filter(({ data }) => data.userId === mallory.userId))
      if (!events.hasMore) break
      after = events.position
    }
    expect(told.map(({ type, data }) => ({ type, data }))).toEqual(
      expect.arrayContaining([
        { type: 'report.created', data: { userId: mallory.userId, reportId: id } },
        { type: 'user.banned', data: { userId: mallory.userId } },
      ]),
    )
    expect(told).toHaveLength(2)
  })
})
