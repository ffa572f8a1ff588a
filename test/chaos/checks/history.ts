import type { Role } from '../../../src/ports/conversations.ts'
import type { Alteration, LogRow } from '../../../src/ports/log.ts'
import type { Tick } from '../../../src/protocol/ticks.ts'

// This is what happened, as the clients saw it. One process runs all clients, so all times are of one clock: if an answer's time is before a
// question's, the answer was there first.

export type MessageSeen = {
  conversationId: string
  seq: number
  id: string
  messageId: string
  senderId: string
  body: string
  /** It is shown to the sender alone. */
  clientMessageId: string | null
  /** This is what later changes have made of the message. It is absent where the answer does not tell. */
  look?: Look
}

/** What is compared where there is no message. */
export const noMessage: MessageSeen = {
  conversationId: '',
  seq: 0,
  id: '',
  messageId: '',
  senderId: '',
  body: '',
  clientMessageId: null,
}

/** `reactions` says how many there are of each emoji. */
export type Look = { edited: boolean; deleted: boolean; reactions: Record<string, number> }

export type GroupMember = { userId: string; role: Role; joinedSeq: number }
/** A group as one of its members is shown it. The members are in the order in which they came. */
export type GroupSeen = { id: string; title: string; members: GroupMember[] }

export type TicksSeen = { conversationId: string; userId: string; lastDeliveredSeq: number; lastReadSeq: number }

/** The server has answered with this error. */
export type Refusal = { code: string | undefined; retryable: boolean; message: string; field?: string }
/** There was no answer: the request may have been carried out, or may be carried out yet. */
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
 * `to` says whether the message is addressed by the other person's id or by the chat's. `forged`: a known clientMessageId has another body,
 * which must be refused. `runtime`: the client runtime has accepted the message and sends it as often as it takes; the call is answered when
 * the runtime says that it is stored.
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
/** The newest comes first, as in the API. */
export type PageSeen = { messages: MessageSeen[]; more: boolean }

export type SendCall = CallOf<'send', SendAsk, { message: MessageSeen; duplicate: boolean }>
export type BoundaryCall = CallOf<'ack' | 'read', { conversationId: string; seq: number }, TicksSeen>
export type PageCall = CallOf<'page', PageAsk, PageSeen>
export type TicksCall = CallOf<'ticks', { conversationId: string }, { lastSeq: number; ticks: TicksSeen[] }>
/** A user who is not in the conversation asks for it. */
export type ProbeCall = CallOf<'probe', { conversationId: string; by: string }, 'hidden' | 'shown'>
/** A user changes a message. The call is repeated with the same clientMessageId until it is answered. */
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
/** The id of a group that is being made is not known yet. */
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
/** `after` is undefined where the client left it to the server to decide where the stream begins. */
export type MessageStream = StreamOf<AddedSeen> & { after?: Record<string, number> }
export type TickStream = StreamOf<{ ticks: TicksSeen }>
export type TypingStream = StreamOf<{ typing: { userId: string; typing: boolean } }>
/** `seq` is that of the change. The message is as it looked then. */
export type ChangedSeen = { message: MessageSeen; seq: number; previousSeq: number; catchUp: boolean }
export type ChangeStream = StreamOf<ChangedSeen> & { after: Record<string, number> }

/** A walk reads a whole conversation once after the drain, oldest first. */
export type Walk = {
  node: string
  userId: string
  conversationId: string
  direction: 'newest first' | 'oldest first'
  messages: MessageSeen[]
}

/** A conversation as DynamoDB holds it in the end. `indexed` are the users who find it among their own. */
export type FinalTable = {
  conversationId: string
  rows: LogRow[]
  group?: GroupSeen & { version: number }
  indexed: string[]
}

/** A row of pending_deliveries after all users have acked everything, and how far its receiver has acked. */
export type PendingSeen = {
  userId: string
  conversationId: string
  firstUndeliveredSeq: number
  lastDeliveredSeq: number
  /** DynamoDB carried out a write of the row after the node had given up: then no node knows of the row. */
  abandoned?: boolean
}

/** An event of the feed, as a backend was given it. */
export type FeedSeen = {
  id: string
  type: string
  conversationId: string | null
  seq: number | null
  messageId?: string
}

export type FaultWindow = {
  kind: string
  target?: string
  fromMs: number
  toMs: number
  /** Redis was empty at this time. */
  emptiedAtMs?: number
  /** How many calls to DynamoDB it hit, or how many events were lost. */
  hits?: number
  /** A node that was told to stop has this. */
  exit?: { code: number | null; tookMs: number }
}

/** From `fromMs` on the wall clock of this node is `offsetMs` before the others', until its next step. */
export type ClockStep = { node: string; fromMs: number; offsetMs: number }

export type Span = { fromMs: number; toMs: number }

/**
 * `sinceMs` is when the device was switched on. `away` is when it was offline by its own choice. A device that begins where the user's other
 * devices are has `begins`: where that was in each conversation, 0 unless named. `polls` is when nothing could be pushed to it.
 */
export type Device = {
  client: string
  userId: string
  sinceMs: number
  /** The device also follows changes of messages, from the beginning on. */
  changes?: boolean
  away: Span[]
  begins?: Record<string, number>
  polls?: Span[]
}

/**
 * Only the application on a device with the client runtime can tell this. What it sends are calls; what it is told is one stream for all its
 * lives. Only where a life was killed before its positions were kept, another stream begins at those that were kept.
 */
export type RuntimeDevice = {
  client: string
  userId: string
  /** Each life lasts from a start of the application to its end. */
  lives: { fromMs: number; transports: string; end?: 'closed' | 'killed'; endedAtMs?: number }[]
  /** These codes say why it lost a link, or got none. */
  setbacks?: { atMs: number; code: string }[]
  /** Every link that it got is listed here. */
  links: { atMs: number; via: string }[]
  /** A new device began at these positions. */
  begun: { atMs: number; conversationId: string; seq: number }[]
  reads: { atMs: number; conversationId: string; seq: number }[]
  /** The ticks of the user's own messages, noted whenever one changed. `life` counts from 0, and each life starts knowing nothing. */
  ticks: { atMs: number; life: number; conversationId: string; seq: number; tick: Tick }[]
  /** It shows this in the end, oldest first; 0 stands for a message that is still on its way. */
  timelines: { conversationId: string; seqs: number[]; bodies?: string[]; hasOlder: boolean }[]
  /** These sockets were closed with a code. */
  closings: { atMs: number; code: number }[]
  /** These should not happen to an application. */
  problems: { atMs: number; text: string }[]
}

export type History = {
  /** This is by the clock of the machine. The rows of DynamoDB go by the same clock, unless that of a node was set. */
  startedAtMs: number
  /** These are the members of direct chats. The tables say who is in a group, and when. */
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
  /** Where nodes keep a feed: what a backend read during the run, and the whole of it at the end. */
  feed?: { meanwhile: FeedSeen[]; atEnd: FeedSeen[] }
  /** These went wrong outside of any call: a node that died by itself, an error in its log, a drain without end. */
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
