import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ClientError } from '../../packages/client/src/index.ts'
import { reportMessage, reportReasons, reportUser } from '../../packages/client/src/reports.ts'
import { pass, startChat, startServer, turns } from './fake-server.ts'
import { refused } from './kit.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
})
afterEach(() => void vi.useRealTimers())

it('a report is tried until it is answered, and rejects with what is refused', async () => {
  const notNow = new ClientError('Not now.', { code: 'UNAVAILABLE', retryable: true })
  const server = startServer({ ReportMessage: () => notNow })
  const { chat } = await startChat(server)
  const done = reportMessage(chat, { conversationId: 'dm_1', seq: 3 }, { reason: 'SPAM', comment: 'Again' })
  await turns()
  server.answers.ReportMessage = () => ({ reportMessage: { reportId: 'rep_1' } })
  await pass(30_000)
  expect(await done).toBe('rep_1')
  const input = { conversationId: 'dm_1', seq: 3, reason: 'SPAM', comment: 'Again' }
  expect(server.asked('ReportMessage')).toEqual([{ input }, { input }])
  server.answers.ReportUser = () => refused('NOT_FOUND')
  await expect(reportUser(chat, 'nobody', { reason: 'OTHER' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(server.asked('ReportUser')).toEqual([{ input: { userId: 'nobody', reason: 'OTHER' } }])
})

it('there is a reason for each that the server knows', async () => {
  const { schema } = await import('../../src/schema/schema.ts')
  const { getNamedType, isEnumType } = await import('graphql')
  const type = getNamedType(schema.getType('ReportReason') ?? expect.fail())
  expect(isEnumType(type) && type.getValues().map(({ name }) => name)).toEqual([...reportReasons].sort())
})
