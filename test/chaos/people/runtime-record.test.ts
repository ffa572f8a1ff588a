import { describe, expect, it } from 'vitest'
import { emptyHistory } from '../checks/history.ts'
import { createRuntimeRecord } from './runtime-record.ts'

const conversationId = 'grp_1'
const clientMessageId = 'one'
const ask = { conversationId, clientMessageId, body: 'hi', via: 'runtime', to: 'chat' } as const
const message = {
  ...{ id: 'msg_1', conversationId, seq: 7, messageId: '1', clientMessageId, body: 'hi', sentAt: '' },
  ...{ kind: 'USER' as const, metadata: null },
  ...{ editedAt: null, deletedAt: null, replyTo: null, attachments: [], reactions: [] },
  sender: { id: 'ann', name: null },
}

function aRecord() {
  const history = emptyHistory()
  let atMs = 0
  const record = createRuntimeRecord({
    ...{ client: 'ann/app', userId: 'ann', established: new Set<string>(), history },
    nowMs: () => atMs,
  })
  const at = (ms: number) => {
    atMs = ms
    return record
  }
  return { at, call: () => history.calls[0] }
}

describe('what an app has sent counts as acknowledged', () => {
  it('when it was said to be stored, though it is told of the message later', () => {
    const { at, call } = aRecord()
    at(1).accepted(ask)
    at(10).stored(clientMessageId)
    at(50).told(message)
    expect(call()).toMatchObject({ endedAtMs: 10, outcome: { answer: { message: { seq: 7 } } } })
  })

  it('not when it was refused, if a later life has tried again', () => {
    const { at, call } = aRecord()
    at(1).accepted(ask)
    at(10).refused(clientMessageId, { code: 'NOT_FOUND', message: '', retryable: false })
    expect(call()).toMatchObject({ endedAtMs: 10 })
    at(50).told(message)
    expect(call()).toMatchObject({ endedAtMs: 50, outcome: { answer: { message: { seq: 7 } } } })
  })
})
