import { describe, expect, it } from 'vitest'
import type { LogRow } from '../../../src/ports/log.ts'
import { checkPending } from './check-pending.ts'
import { checkSenderOrder } from './check-sender-order.ts'
import { checkVoids } from './check-voids.ts'
import { createFinalLog } from './final-log.ts'
import { emptyHistory, type History, type MessageSeen, type Outcome, type SendCall } from './history.ts'

// These checks go by what is stored in the end.

const chat = 'dm_chat'

const seen = (seq: number, clientMessageId: string): MessageSeen => ({
  conversationId: chat,
  seq,
  id: `msg_${seq}`,
  messageId: String(seq * 100),
  senderId: 'alice',
  body: `${clientMessageId} hello`,
  clientMessageId,
})

type Sent = { message: MessageSeen; duplicate: boolean }

/** Alice sends this from one moment to another. */
function send(message: MessageSeen, askedAtMs: number, endedAtMs: number, given: Partial<SendCall> = {}): SendCall {
  const { body, clientMessageId } = message
  return {
    kind: 'send',
    client: 'alice/phone',
    userId: 'alice',
    node: 'http://one',
    ask: { conversationId: chat, clientMessageId: clientMessageId ?? '', body, via: 'http', to: 'chat' },
    askedAtMs,
    endedAtMs,
    outcome: { answer: { message, duplicate: false } },
    ...given,
  }
}

const lost: Outcome<Sent> = { lost: { reason: 'closed: 1006' } }

function aHistory(calls: SendCall[], messages: MessageSeen[]): History {
  const history = emptyHistory({ [chat]: ['alice', 'bob'] })
  history.calls.push(...calls)
  history.walks.push({ node: 'http://one', userId: 'alice', conversationId: chat, direction: 'oldest first', messages })
  return history
}

describe('the order of one sender', () => {
  const judge = (calls: SendCall[], messages: MessageSeen[]) => {
    const history = aHistory(calls, messages)
    return checkSenderOrder(history, createFinalLog(history)).map(({ text }) => text)
  }

  it('is kept where the later message has the higher number', () => {
    const [one, two] = [seen(1, 'a-1'), seen(2, 'a-2')]
    expect(judge([send(one, 10, 20), send(two, 30, 40)], [one, two])).toEqual([])
  })

  it('is free while both are under way, and for attempts that began before', () => {
    const [one, two] = [seen(1, 'a-2'), seen(2, 'a-1')]
    expect(judge([send(two, 10, 20), send(one, 15, 30)], [one, two])).toEqual([])
    const retried = [send(one, 5, 6, { outcome: lost }), send(two, 10, 20), send(one, 30, 40)]
    expect(judge(retried, [one, two])).toEqual([])
  })

  it('is broken where a message that was sent after another was acknowledged is below it', () => {
    const [one, two] = [seen(1, 'a-2'), seen(2, 'a-1')]
    expect(judge([send(two, 10, 20), send(one, 30, 40)], [one, two])).toEqual([
      'alice sent #1 100 "a-2 hello" after their own #2 was acknowledged, at the same node, 10 ms before',
    ])
    const elsewhere = [send(two, 10, 20), send(one, 30, 40, { node: 'http://two' })]
    expect(judge(elsewhere, [one, two])[0]).toMatch(/at another node/)
  })

  it('is broken also by a message that was stored and never acknowledged', () => {
    const [one, two] = [seen(1, 'a-2'), seen(2, 'a-1')]
    expect(judge([send(two, 10, 20), send(one, 30, 40, { outcome: lost })], [one, two])).toHaveLength(1)
  })
})

describe('a pending row', () => {
  const judge = (firstUndeliveredSeq: number, lastDeliveredSeq: number, abandoned = false) => {
    const history = emptyHistory()
    history.pending.push({ userId: 'bob', conversationId: chat, firstUndeliveredSeq, lastDeliveredSeq, abandoned })
    return checkPending(history).map(({ text }) => text)
  }

  it('may name what is above the delivered boundary', () => expect(judge(5, 4)).toEqual([]))

  it('may be left by a write that was carried out when its node had given it up', () =>
    expect(judge(4, 4, true)).toEqual([]))

  it('may not outlive the ack', () =>
    expect(judge(4, 4)).toEqual(['a pending row names #4 for bob, who has acked up to #4']))
})

describe('voids', () => {
  const judge = (calls: SendCall[], voids: number) => {
    const history = aHistory(calls, [])
    const rows = Array.from({ length: voids }, (_, i) => ({ kind: 'void', conversationId: chat, seq: i + 1 }) as LogRow)
    history.tables.push({ conversationId: chat, rows, indexed: [] })
    return checkVoids(history).map(({ text }) => text)
  }

  it('are explained by calls that failed, were repeated, or took longer than a reader waits', () => {
    expect(judge([send(seen(2, 'a-1'), 0, 10, { outcome: lost })], 1)).toEqual([])
    expect(judge([send(seen(3, 'a-1'), 0, 10, { outcome: lost }), send(seen(3, 'a-1'), 20, 30)], 2)).toEqual([])
    expect(judge([send(seen(3, 'a-1'), 0, 700)], 2)).toEqual([])
  })

  it('are explained by the time in which a client runtime had something to send, which counts once', () => {
    const accepted = (clientMessageId: string, askedAtMs: number, endedAtMs: number) => {
      const call = send(seen(9, clientMessageId), askedAtMs, endedAtMs)
      return { ...call, ask: { ...call.ask, via: 'runtime' as const } }
    }
    const calls = [accepted('a-1', 0, 600), accepted('a-2', 10, 900)]
    expect(judge(calls, 3)).toEqual([])
    expect(judge(calls, 4)).toHaveLength(1)
  })

  it('are not explained by sends that were answered at once', () => {
    expect(judge([send(seen(2, 'a-1'), 0, 10), send(seen(3, 'a-2'), 20, 150)], 1)).toEqual([
      '1 numbers were voided, but failed, repeated and slow calls can have left 0 at most',
    ])
  })

  it('are not explained by what failed in another conversation', () => {
    const elsewhere = send(seen(2, 'a-1'), 0, 10, { outcome: lost })
    elsewhere.ask = { ...elsewhere.ask, conversationId: 'dm_other' }
    expect(judge([elsewhere], 1)).toHaveLength(1)
  })
})
