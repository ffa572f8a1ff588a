import { ClientError, type MessageFieldsFragment, type TimelineState } from '../../../packages/client/src/index.ts'
import type { Tick } from '../../../src/protocol/ticks.ts'
import type {
  ChangeAsk,
  ChangeCall,
  Device,
  GroupCall,
  GroupSeen,
  History,
  MessageSeen,
  MessageStream,
  Outcome,
  Refusal,
  RuntimeDevice,
  SendAsk,
  SendCall,
} from '../checks/history.ts'
import { seen } from './client.ts'

type RuntimeRecordOptions = {
  client: string
  userId: string
  established: Set<string>
  history: History
  nowMs: () => number
}

/** This is no node: the runtime goes to any node, as often as it takes. */
const node = 'the client runtime'

/** Notes what an application is told and what it asks for, over all its lives. */
export function createRuntimeRecord({ client, userId, established, history, nowMs }: RuntimeRecordOptions) {
  const about = { client, userId }
  const begins: Record<string, number> = {}
  const polls: NonNullable<Device['polls']> = []
  const device: Device = { ...about, sinceMs: nowMs(), away: [], begins, polls }
  const runtime: RuntimeDevice = {
    ...about,
    lives: [],
    setbacks: [],
    links: [],
    begun: [],
    reads: [],
    ticks: [],
    timelines: [],
    closings: [],
    problems: [],
  }
  const told = new Map<string, number>()
  const held = new Map<string, Set<number>>()
  const calls = new Map<string, SendCall>()
  const pending = new Set<string>()
  const shown = new Map<string, Tick>()
  let stream = openStream()
  let isNew = true
  history.devices.push(device)
  history.runtimes.push(runtime)

  function openStream(after: Record<string, number> = {}): MessageStream & { after: Record<string, number> } {
    const opened = { ...about, node, openedAtMs: nowMs(), events: [], after }
    history.streams.push(opened)
    return opened
  }

  function end(clientMessageId: string, outcome?: SendCall['outcome']): void {
    const call = calls.get(clientMessageId)
    if (!call) return
    pending.delete(clientMessageId)
    // The message was refused, and the application was killed before that was kept: the next life has tried again, and this answer is another
    // one.
    const isAnotherEnd = outcome !== undefined && call.outcome !== undefined && !('answer' in call.outcome)
    if (call.endedAtMs === undefined || isAnotherEnd) call.endedAtMs = nowMs()
    if (outcome) call.outcome = outcome
    if (!outcome || 'answer' in outcome) established.add(call.ask.conversationId)
  }

  return {
    device,
    runtime,
    /** These messages are accepted, and not said to be stored yet. */
    pending: pending as ReadonlySet<string>,
    toldUpTo: (conversationId: string): number => told.get(conversationId) ?? 0,
    isNew: (): boolean => isNew,
    /** Returns whether it has not been told one of these, from where it began on. */
    lacks: (conversationId: string, seqs: Iterable<number>): boolean =>
      [...seqs].some((seq) => seq > (begins[conversationId] ?? 0) && !held.get(conversationId)?.has(seq)),

    begin(positions: readonly [string, number][]): void {
      isNew = false
      for (const [conversationId, seq] of positions) {
        begins[conversationId] = seq
        runtime.begun.push({ atMs: nowMs(), conversationId, seq })
      }
    },
    told(fields: MessageFieldsFragment): void {
      const message = seen(fields)
      const { conversationId, seq, clientMessageId } = message
      const start = stream.after[conversationId] ?? begins[conversationId] ?? 0
      stream.after[conversationId] = start
      const previousSeq = told.get(conversationId) ?? start
      stream.events.push({ message, previousSeq, catchUp: false, atMs: nowMs() })
      told.set(conversationId, seq)
      held.set(conversationId, (held.get(conversationId) ?? new Set()).add(seq))
      if (message.senderId === userId && clientMessageId)
        end(clientMessageId, { answer: { message, duplicate: false } })
    },
    accepted(ask: SendAsk): void {
      const call: SendCall = { kind: 'send', ...about, node, ask, askedAtMs: nowMs() }
      history.calls.push(call)
      calls.set(ask.clientMessageId, call)
      pending.add(ask.clientMessageId)
    },
    /** The runtime repeats this by itself until it is answered, in one life. */
    async changes(ask: ChangeAsk, work: Promise<MessageSeen | undefined>): Promise<void> {
      const call: ChangeCall = { kind: 'change', ...about, node, ask, askedAtMs: nowMs() }
      history.calls.push(call)
      call.outcome = await outcomeOf(work)
      call.endedAtMs = nowMs()
    },
    async changesGroup(ask: GroupCall['ask'], work: Promise<GroupSeen | undefined>): Promise<GroupCall> {
      const call: GroupCall = { kind: 'group', ...about, node, ask, askedAtMs: nowMs() }
      history.calls.push(call)
      call.outcome = await outcomeOf(work)
      call.endedAtMs = nowMs()
      return call
    },
    /** The message that it has become is known when the inbox brings it. */
    stored: (clientMessageId: string): void => end(clientMessageId),
    refused: (clientMessageId: string, refused: Refusal): void => end(clientMessageId, { refused }),
    read(conversationId: string, seq: number): void {
      runtime.reads.push({ atMs: nowMs(), conversationId, seq })
    },
    tick(conversationId: string, seq: number, tick: Tick): void {
      const life = runtime.lives.length - 1
      const key = `${life} ${conversationId} ${seq}`
      if ((shown.get(key) ?? 'SENT') === tick) return
      shown.set(key, tick)
      runtime.ticks.push({ atMs: nowMs(), life, conversationId, seq, tick })
    },
    /** Notes what the application shows in the end. */
    sees(conversationId: string, timeline: TimelineState | undefined): void {
      if (!timeline || timeline.loading || timeline.error) return
      const seqs = timeline.entries.map((entry) => (entry.type === 'message' ? entry.message.seq : 0))
      // An application that polls sees changes only when a conversation is opened anew.
      const lifeSinceMs = runtime.lives.at(-1)?.fromMs ?? 0
      const bodies = polls.every(({ toMs }) => toMs < lifeSinceMs)
        ? timeline.entries.map((entry) => (entry.type === 'message' ? entry.message.body : ''))
        : undefined
      runtime.timelines.push({ conversationId, seqs, ...(bodies && { bodies }), hasOlder: timeline.hasOlder })
    },
    problem(text: string): void {
      runtime.problems.push({ atMs: nowMs(), text })
    },
    /** What was not kept is gone: messages that were not sent yet. What was told since the kept positions is told again. */
    killed(kept: ReadonlyMap<string, unknown>): void {
      for (const clientMessageId of [...pending]) {
        if (!kept.has(`outbox:${clientMessageId}`))
          end(clientMessageId, { lost: { reason: 'killed before it was kept' } })
      }
      const after: Record<string, number> = {}
      for (const [conversationId, seq] of told)
        after[conversationId] = Math.min(seq, Number(kept.get(`position:${conversationId}`) ?? 0))
      if ([...told].every(([conversationId, seq]) => after[conversationId] === seq)) return
      stream = openStream(after)
      for (const [conversationId, seq] of Object.entries(after)) told.set(conversationId, seq)
    },
  }
}

/** A result of `undefined` means that the runtime does not tell. */
async function outcomeOf<T>(work: Promise<T | undefined>): Promise<Outcome<T>> {
  try {
    const answer = await work
    return answer === undefined ? { lost: { reason: 'the client runtime does not tell' } } : { answer }
  } catch (error) {
    if (!(error instanceof ClientError) || error.retryable || error.code === 'NETWORK')
      return { lost: { reason: String(error) } }
    const { code, message } = error
    return { refused: { code, message, retryable: false } }
  }
}
