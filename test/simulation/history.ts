import type { Alteration, Message } from '../../src/domain/ports.ts'
import type { ConversationId, Seq, UserId } from '../../src/protocol/ids.ts'
import type { Ticks } from '../../src/protocol/ticks.ts'

/** What was seen from outside, in order. The checker knows nothing else but the final log. */
export type Entry = { atMs: number; who: string } & Observation

export type ChangeRequest = {
  senderId: UserId
  clientMessageId: string
  conversationId: ConversationId
  targetSeq: Seq
  alteration: Alteration
}

export type Observation =
  | { kind: 'try'; senderId: UserId; clientMessageId: string; body: string; node: string }
  | { kind: 'sent'; senderId: UserId; clientMessageId: string; message: Message; duplicate: boolean }
  | { kind: 'failed'; what: string; error: string }
  | {
      kind: 'stream'
      stream: number
      userId: UserId
      node: string
      after: Map<ConversationId, Seq> | undefined
      sole: boolean
    }
  | { kind: 'shown'; stream: number; userId: UserId; message: Message; previousSeq: Seq; held: Seq }
  | ({ kind: 'alters'; attempt: number; node: string } & ChangeRequest)
  | ({ kind: 'altered'; attempt: number; message: Message } & ChangeRequest)
  | ({ kind: 'refused'; attempt: number; error: string } & ChangeRequest)
  | { kind: 'changes'; stream: number; userId: UserId; node: string; after: Map<ConversationId, Seq> }
  | {
      kind: 'changed'
      stream: number
      userId: UserId
      message: Message
      seq: Seq
      previousSeq: Seq
      catchUp: boolean
      held: Seq
    }
  | { kind: 'left'; stream: number; how: string }
  /** `since`: how much had been seen when it was asked for. */
  | { kind: 'page'; userId: UserId; conversationId: ConversationId; messages: Message[]; since: number }
  | { kind: 'says'; userId: UserId; conversationId: ConversationId; delivered: Seq; read: Seq }
  | { kind: 'ticks'; ticks: Ticks; source: string }
  | { kind: 'fault'; what: string }
  | { kind: 'unindexed'; userId: UserId; conversationId: ConversationId; first: Seq; row: Seq | undefined }
  | {
      kind: 'behind'
      of: 'messages' | 'changes'
      userId: UserId
      conversationId: ConversationId
      held: Seq
      last: Seq
    }

export type History = ReturnType<typeof createHistory>

export function createHistory(now: () => number) {
  const entries: Entry[] = []
  const startedAtMs = now()
  return {
    entries,
    note: (who: string, observation: Observation): void => void entries.push({ atMs: now(), who, ...observation }),
    /** For people. */
    lines: (): string[] => entries.map((entry) => lineOf(entry, startedAtMs)),
  }
}

function lineOf({ atMs, who, ...seen }: Entry, startedAtMs: number): string {
  return `${String(atMs - startedAtMs).padStart(7)} ms  ${who.padEnd(10)} ${describe(seen)}`
}

const short = (id: ConversationId): string => id.slice(0, 7)
const place = ({ conversationId, seq }: Pick<Message, 'conversationId' | 'seq'>): string =>
  `${short(conversationId)}#${seq}`

const from = (after: Map<ConversationId, Seq>): string =>
  ` after ${[...after].map(([id, seq]) => `${short(id)}#${seq}`)}`

const deed = (alteration: Alteration): string => {
  if (alteration.type === 'edit') return `edit to "${alteration.body}"`
  return alteration.type === 'delete' ? 'deletion' : `${alteration.on ? '' : 'no '}${alteration.emoji}`
}

const looks = ({ body, edited, deletedAtMs, reactions = [] }: Message): string =>
  [
    deletedAtMs === undefined ? `"${body}"` : `deleted "${body}"`,
    edited && `edited at #${edited.seq}`,
    ...reactions.map(({ emoji, userId, seq, on }) => `${on ? '' : 'no '}${emoji} of ${userId} at #${seq}`),
  ]
    .filter((each) => each !== undefined)
    .join(', ')

function describe(seen: Observation): string {
  switch (seen.kind) {
    case 'try':
      return `sends ${seen.clientMessageId} "${seen.body}" to ${seen.node}`
    case 'sent':
      return `${seen.clientMessageId} is ${place(seen.message)}${seen.duplicate ? ', duplicate' : ''}`
    case 'failed':
      return `${seen.what} failed: ${seen.error}`
    case 'stream':
      return `opens stream ${seen.stream} at ${seen.node}${seen.after ? from(seen.after) : ''}`
    case 'shown':
      return `stream ${seen.stream} shows ${place(seen.message)} after ${seen.previousSeq} (held ${seen.held}) ${looks(seen.message)}`
    case 'alters':
      return `sends ${seen.clientMessageId}, ${deed(seen.alteration)} of ${place({ ...seen, seq: seen.targetSeq })}, to ${seen.node}`
    case 'altered':
      return `${seen.clientMessageId} is done: ${place(seen.message)} ${looks(seen.message)}`
    case 'refused':
      return `${seen.clientMessageId} is refused: ${seen.error}`
    case 'changes':
      return `opens stream ${seen.stream} of changes at ${seen.node}${from(seen.after)}`
    case 'changed':
      return `stream ${seen.stream} shows change #${seen.seq} after ${seen.previousSeq} (held ${seen.held})${seen.catchUp ? ' missed' : ''}: ${place(seen.message)} ${looks(seen.message)}`
    case 'left':
      return `stream ${seen.stream} ends: ${seen.how}`
    case 'page':
      return `page of ${short(seen.conversationId)}: ${seen.messages.map(({ seq }) => seq).join(' ')}`
    case 'says':
      return `says of ${short(seen.conversationId)}: delivered ${seen.delivered}, read ${seen.read}`
    case 'ticks':
      return `${seen.source}: ${seen.ticks.userId} in ${short(seen.ticks.conversationId)} ${seen.ticks.lastDeliveredSeq}/${seen.ticks.lastReadSeq}`
    case 'fault':
      return `*** ${seen.what}`
    case 'unindexed':
      return `${seen.userId} is away, ${short(seen.conversationId)}#${seen.first} is undelivered, the pending row says ${seen.row}`
    case 'behind':
      return `is not current with ${seen.of}: has ${seen.held} of ${short(seen.conversationId)}#${seen.last}`
  }
}
