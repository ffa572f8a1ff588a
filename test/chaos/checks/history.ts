import type { Role } from '../../../src/ports/conversations.ts'
import type { Alteration, LogRow } from '../../../src/ports/log.ts'
import type { Tick } from '../../../src/protocol/ticks.ts'

// What happened, as the clients saw it. One process runs all clients, so all times are of one clock: if an answer's time is
// before a question's, the answer was there first.

export type MessageSeen = {
  conversationId: string
  seq: number
  id: string
  messageId: string
  senderId: string
  body: string
  /** Shown to the sender alone. */
  clientMessageId: string | null
  /** What later changes have made of it; not where the answer does not tell. */
  look?: Look
}

/** `reactions`: how many there are of each emoji. */
export type Look = { edited: boolean; deleted: boolean; reactions: Record<string, number> }

export type GroupMember = { userId: string; role: Role; joinedSeq: number }
/** A group as somebody in it is shown it; members in the order they came. */
export type GroupSeen = { id: string; title: string; members: GroupMember[] }

export type TicksSeen = { conversationId: string; userId: string; lastDeliveredSeq: number; lastReadSeq: number }

/** An error the server told us of. */
export type Refusal = { code: string | undefined; retryable: boolean; message: string; field?: string }
/** No answer: whatever was asked may have happened, or happen yet. */
export type Loss = { reason: string; closeCode?: number }
export type Outcome<T> = { answer: T } | { refused: Refusal } | { lost: Loss }

type CallOf<Kind extends string, Ask, Answer> = {
  kind: Kind
  client: string
  userId: string
  node: string
  ask: Ask
  askedAtMs: number
  endedAtMs?: number
  outcome?: Outcome<Answer>
}

export type Via = 'ws' | 'http' | 'rest'
/**
 * `to`: by the other person's id or by the chat's. `forged`: a known clientMessageId with another body, to be refused.
 * `runtime`: the client runtime has accepted it, to send it as often as it takes; answered when it says it is stored.
 */
export type SendAsk = {
  conversationId: string
  clientMessageId: string
  body: string
  via: Via | 'runtime'
  to: 'person' | 'chat'
  forged?: boolean
}
type PageAsk = { conversationId: string; count: number; from: 'newest' | 'oldest'; cursor: boolean }
/** Newest first, as the API has it. */
export type PageSeen = { messages: MessageSeen[]; more: boolean }

export type SendCall = CallOf<'send', SendAsk, { message: MessageSeen; duplicate: boolean }>
export type BoundaryCall = CallOf<'ack' | 'read', { conversationId: string; seq: number }, TicksSeen>
export type PageCall = CallOf<'page', PageAsk, PageSeen>
export type TicksCall = CallOf<'ticks', { conversationId: string }, { lastSeq: number; ticks: TicksSeen[] }>
/** A stranger knocks. */
export type ProbeCall = CallOf<'probe', { conversationId: string; by: string }, 'hidden' | 'shown'>
/** What is done to a message. Repeated with the same clientMessageId until it is answered. */
export type ChangeAsk = { conversationId: string; seq: number; clientMessageId: string; alteration: Alteration }
export type ChangeCall = CallOf<'change', ChangeAsk, MessageSeen>
export type GroupRequest =
  | { type: 'create'; clientGroupId: string; title: string; memberIds: string[] }
  | { type: 'members'; add: string[]; remove: string[]; roles: { userId: string; role: Role }[] }
  | { type: 'rename'; title: string }
  | { type: 'leave' }
  | { type: 'look' }
/** Says that the user is typing, or has stopped. */
export type TypingCall = CallOf<'typing', { conversationId: string; typing: boolean }, true>
/** Of a group that is being made nobody knows the id yet. */
export type GroupCall = CallOf<'group', { conversationId: string; request: GroupRequest }, GroupSeen | 'left'>
export type Call = SendCall | BoundaryCall | PageCall | TicksCall | ProbeCall | ChangeCall | TypingCall | GroupCall

type StreamOf<Event> = {
  client: string
  userId: string
  node: string
  conversationId?: string
  openedAtMs: number
  events: (Event & { atMs: number })[]
  end?: { atMs: number; refused?: Refusal; lost?: Loss }
}

export type AddedSeen = { message: MessageSeen; previousSeq: number; catchUp: boolean }
/** `after` is undefined where the client left it to the server where to begin. */
export type MessageStream = StreamOf<AddedSeen> & { after?: Record<string, number> }
export type TickStream = StreamOf<{ ticks: TicksSeen }>
export type TypingStream = StreamOf<{ typing: { userId: string; typing: boolean } }>
/** `seq`: of the change; the message as it is then. */
export type ChangedSeen = { message: MessageSeen; seq: number; previousSeq: number; catchUp: boolean }
export type ChangeStream = StreamOf<ChangedSeen> & { after: Record<string, number> }

/** One reading of a whole conversation after the drain, oldest first. */
export type Walk = {
  node: string
  userId: string
  conversationId: string
  direction: 'newest first' | 'oldest first'
  messages: MessageSeen[]
}

/** A conversation as DynamoDB holds it in the end. `indexed`: who finds it among their own. */
export type FinalTable = {
  conversationId: string
  rows: LogRow[]
  group?: GroupSeen & { version: number }
  indexed: string[]
}

/** A row of pending_deliveries after everybody has acked everything, and how far its receiver has acked. */
export type PendingSeen = {
  userId: string
  conversationId: string
  firstUndeliveredSeq: number
  lastDeliveredSeq: number
  /** DynamoDB carried a write of it out after the node had given it up: then nobody knows of the row. */
  abandoned?: boolean
}

export type FaultWindow = {
  kind: string
  target?: string
  fromMs: number
  toMs: number
  /** When Redis stood there with nothing in it. */
  emptiedAtMs?: number
  /** How many calls to DynamoDB it hit, or how many events were lost. */
  hits?: number
  /** Of a node that was told to stop. */
  exit?: { code: number | null; tookMs: number }
}

/** From then on a node's wall clock is that much before the others', until its next step. */
export type ClockStep = { node: string; fromMs: number; offsetMs: number }

export type Span = { fromMs: number; toMs: number }

/**
 * `sinceMs`: when it was switched on. `away`: when it was offline by its own choice. `begins`: for one that begins where the
 * user's other devices are, where that was in each conversation; 0 unless named. `polls`: when nothing could be pushed to it.
 */
export type Device = {
  client: string
  userId: string
  sinceMs: number
  /** Also follows what happens to messages, from the beginning on. */
  changes?: boolean
  away: Span[]
  begins?: Record<string, number>
  polls?: Span[]
}

/**
 * What only the application on a device with the client runtime can tell. What it sends are calls, what it is told is a stream:
 * one for all its lives. Only where a life was killed before its positions were kept, another begins at those that were.
 */
export type RuntimeDevice = {
  client: string
  userId: string
  /** From each start of the application to its end. */
  lives: { fromMs: number; transports: string; end?: 'closed' | 'killed'; endedAtMs?: number }[]
  /** Why it lost one, or got none. */
  setbacks?: { atMs: number; code: string }[]
  /** Every link it got. */
  links: { atMs: number; via: string }[]
  /** Where a new device began. */
  begun: { atMs: number; conversationId: string; seq: number }[]
  reads: { atMs: number; conversationId: string; seq: number }[]
  /** Of the user's own messages, whenever one changed; `life` counts from 0, and each starts knowing nothing. */
  ticks: { atMs: number; life: number; conversationId: string; seq: number; tick: Tick }[]
  /** What it shows in the end, oldest first; 0 for what is still on its way. */
  timelines: { conversationId: string; seqs: number[]; bodies?: string[]; hasOlder: boolean }[]
  /** Sockets that were closed with a code. */
  closings: { atMs: number; code: number }[]
  /** What should not happen to an application. */
  problems: { atMs: number; text: string }[]
}

export type History = {
  /** By the clock of the machine, which the rows of DynamoDB go by unless a node's was set. */
  startedAtMs: number
  /** Of the direct chats. Who is in a group, and when, is for the tables to say. */
  members: Record<string, string[]>
  devices: Device[]
  runtimes: RuntimeDevice[]
  calls: Call[]
  streams: MessageStream[]
  tickStreams: TickStream[]
  typingStreams: TypingStream[]
  changeStreams: ChangeStream[]
  faults: FaultWindow[]
  clocks: ClockStep[]
  walks: Walk[]
  tables: FinalTable[]
  pending: PendingSeen[]
  /** What went wrong outside of any call: a node that died by itself, an error in its log, a drain without end. */
  incidents: { atMs: number; text: string }[]
}

export const emptyHistory = (members: Record<string, string[]> = {}): History => ({
  startedAtMs: 0,
  members,
  devices: [],
  runtimes: [],
  calls: [],
  streams: [],
  tickStreams: [],
  typingStreams: [],
  changeStreams: [],
  faults: [],
  clocks: [],
  walks: [],
  tables: [],
  pending: [],
  incidents: [],
})

export const answerOf = <T>(call: { outcome?: Outcome<T> }): T | undefined =>
  call.outcome && 'answer' in call.outcome ? call.outcome.answer : undefined

export const refusalOf = (call: { outcome?: Outcome<unknown> }): Refusal | undefined =>
  call.outcome && 'refused' in call.outcome ? call.outcome.refused : undefined

export const sends = ({ calls }: History): SendCall[] => calls.filter((call) => call.kind === 'send')

export const groupCalls = ({ calls }: History): GroupCall[] => calls.filter((call) => call.kind === 'group')

export const changeCalls = ({ calls }: History): ChangeCall[] => calls.filter((call) => call.kind === 'change')

export const isGroup = (conversationId: string): boolean => conversationId.startsWith('grp_')
