import type { MemberRole } from '../../src/domain/conversations/group.ts'
import type { Group } from '../../src/ports/conversations.ts'
import type { Typing } from '../../src/ports/events.ts'
import type { Alteration, Message } from '../../src/ports/log.ts'
import { type ConversationId, isGroupId, type Seq, type UserId } from '../../src/protocol/ids.ts'
import type { MemberBoundaries } from '../../src/protocol/ticks.ts'

/** The history is what was seen from outside, in order. The checker knows only this and the final log. */
export type Entry = { atMs: number; who: string } & Observation

export type ChangeRequest = {
  senderId: UserId
  clientMessageId: string
  conversationId: ConversationId
  targetSeq: Seq
  alteration: Alteration
}

/** A user wants to change this about a group. */
export type GroupRequest =
  | { type: 'create'; clientGroupId: string; title: string; memberIds: readonly UserId[] }
  | { type: 'rename'; conversationId: ConversationId; title: string }
  | { type: 'leave'; conversationId: ConversationId }
  | {
      type: 'members'
      conversationId: ConversationId
      add: readonly UserId[]
      remove: readonly UserId[]
      roles: readonly MemberRole[]
    }

type Observation =
  | { kind: 'try'; senderId: UserId; clientMessageId: string; body: string; node: string }
  /** `since`, here and below, is how many entries the history had when the request was made. */
  | { kind: 'sent'; senderId: UserId; clientMessageId: string; message: Message; duplicate: boolean; since: number }
  | { kind: 'asks'; userId: UserId; request: GroupRequest; node: string }
  /** `group` is the group as the answer shows it, if it does. */
  | { kind: 'answered'; userId: UserId; request: GroupRequest; group: Group | undefined; since: number }
  | { kind: 'denied'; userId: UserId; request: GroupRequest; error: string; since: number }
  /** A user got the answer that there is no such conversation for them. */
  | { kind: 'turned away'; userId: UserId; conversationId: ConversationId; what: string; since: number }
  | { kind: 'failed'; what: string; error: string }
  | {
      kind: 'stream'
      stream: number
      userId: UserId
      node: string
      after: Map<ConversationId, Seq> | undefined
      sole: boolean
      /** If the server keeps the positions of the device: what it had acked, and been answered, before it asked for the stream. */
      acked?: ReadonlyMap<ConversationId, Seq>
    }
  /** The first stream of a device whose positions the server keeps is there. By then its user had said at most that of each conversation. */
  | { kind: 'begins'; began: ReadonlyMap<ConversationId, Seq> }
  | { kind: 'shown'; stream: number; userId: UserId; message: Message; previousSeq: Seq; held: Seq }
  | ({ kind: 'alters'; attempt: number; node: string } & ChangeRequest)
  | ({ kind: 'altered'; attempt: number; message: Message } & ChangeRequest)
  | ({ kind: 'refused'; attempt: number; error: string } & ChangeRequest)
  | {
      kind: 'changes'
      stream: number
      userId: UserId
      node: string
      after: Map<ConversationId, Seq>
      acked?: ReadonlyMap<ConversationId, Seq>
    }
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
  | { kind: 'lost' }
  | { kind: 'left'; stream: number; how: string }
  | { kind: 'page'; userId: UserId; conversationId: ConversationId; messages: readonly Message[]; since: number }
  | { kind: 'says'; userId: UserId; conversationId: ConversationId; delivered: Seq; read: Seq }
  /** `watch` is the stream that showed them, and its user. */
  | { kind: 'ticks'; ticks: MemberBoundaries; source: string; watch?: { stream: number; userId: UserId } }
  | { kind: 'typing'; typing: Typing; stream: number; userId: UserId }
  | { kind: 'watch'; stream: number; userId: UserId; of: string; node: string; only?: ConversationId }
  /** A pending row was left that is not needed any more. */
  | { kind: 'leftover'; userId: UserId; conversationId: ConversationId; first: Seq }
  /** A direct chat was created, and there was no message in it. */
  | { kind: 'empty'; conversationId: ConversationId }
  | { kind: 'fault'; what: string }
  | { kind: 'unindexed'; userId: UserId; conversationId: ConversationId; first: Seq; row: Seq | undefined }
  | {
      kind: 'behind'
      of: 'messages' | 'changes' | 'list' | 'ticks'
      userId: UserId
      conversationId: ConversationId
      held: Seq
      last: Seq
    }

export function createHistory(now: () => number) {
  const entries: Entry[] = []
  const startedAtMs = now()
  return {
    entries,
    note: (who: string, observation: Observation): void => void entries.push({ atMs: now(), who, ...observation }),
    /** Returns the history as readable lines. */
    lines: (): string[] => entries.map((entry) => lineOf(entry, startedAtMs)),
  }
}

function lineOf({ atMs, who, ...seen }: Entry, startedAtMs: number): string {
  return `${String(atMs - startedAtMs).padStart(7)} ms  ${who.padEnd(10)} ${describe(seen)}`
}

const tail = (id: ConversationId): string => `grp…${id.slice(-4)}`
const short = (id: ConversationId): string => (isGroupId(id) ? tail(id) : id.slice(0, 7))
const place = ({ conversationId, seq }: Pick<Message, 'conversationId' | 'seq'>): string =>
  `${short(conversationId)}#${seq}`

const from = (after: ReadonlyMap<ConversationId, Seq>): string =>
  ` after ${[...after].map(([id, seq]) => `${short(id)}#${seq}`)}`

const deed = (alteration: Alteration): string => {
  if (alteration.type === 'edit') return `edit to "${alteration.body}"`
  return alteration.type === 'delete' ? 'deletion' : `${alteration.on ? '' : 'no '}${alteration.emoji}`
}

const wish = (request: GroupRequest): string => {
  if (request.type === 'create') return `group ${request.clientGroupId} of ${request.memberIds}`
  const { conversationId: id } = request
  if (request.type === 'leave') return `to leave ${tail(id)}`
  if (request.type === 'rename') return `${tail(id)} to be "${request.title}"`
  const roles = request.roles.map(({ userId, role }) => `${userId} ${role}`)
  return `${tail(id)} with [${request.add}], without [${request.remove}], roles [${roles}]`
}

const stands = ({ id, version, title, membersById }: Group): string =>
  `${tail(id)} "${title}" at version ${version}: ${[...membersById].map(([userId, { role, joinedSeq }]) => `${userId} ${role} from #${joinedSeq}`).join(', ')}`

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
    case 'asks':
      return `wants ${wish(seen.request)}, from ${seen.node}`
    case 'answered':
      return `has ${wish(seen.request)}${seen.group ? `; ${stands(seen.group)}` : ''}`
    case 'denied':
      return `may not have ${wish(seen.request)}: ${seen.error}`
    case 'turned away':
      return `${seen.what}: for ${seen.userId} there is no ${short(seen.conversationId)}`
    case 'failed':
      return `${seen.what} failed: ${seen.error}`
    case 'stream':
      return `opens stream ${seen.stream} at ${seen.node}${seen.after ? from(seen.after) : ''}${seen.acked ? `, has acked${from(seen.acked)}` : ''}`
    case 'begins':
      return `is a device to the server${from(seen.began)}`
    case 'shown':
      return `stream ${seen.stream} shows ${place(seen.message)} after ${seen.previousSeq} (held ${seen.held}) ${looks(seen.message)}`
    case 'alters':
      return `sends ${seen.clientMessageId}, ${deed(seen.alteration)} of ${place({ ...seen, seq: seen.targetSeq })}, to ${seen.node}`
    case 'altered':
      return `${seen.clientMessageId} is done: ${place(seen.message)} ${looks(seen.message)}`
    case 'refused':
      return `${seen.clientMessageId} is refused: ${seen.error}`
    case 'changes':
      return `opens stream ${seen.stream} of changes at ${seen.node}${from(seen.acked ?? seen.after)}`
    case 'changed':
      return `stream ${seen.stream} shows change #${seen.seq} after ${seen.previousSeq} (held ${seen.held})${seen.catchUp ? ' missed' : ''}: ${place(seen.message)} ${looks(seen.message)}`
    case 'lost':
      return 'has lost what it has not said it has'
    case 'left':
      return `stream ${seen.stream} ends: ${seen.how}`
    case 'page':
      return `page of ${short(seen.conversationId)}: ${seen.messages.map(({ seq }) => seq).join(' ')}`
    case 'says':
      return `says of ${short(seen.conversationId)}: delivered ${seen.delivered}, read ${seen.read}`
    case 'ticks':
      return `${seen.source}: ${seen.ticks.userId} in ${short(seen.ticks.conversationId)} ${seen.ticks.lastDeliveredSeq}/${seen.ticks.lastReadSeq}`
    case 'typing':
      return `stream ${seen.stream}: ${seen.typing.userId} ${seen.typing.typing ? 'types' : 'has stopped'} in ${short(seen.typing.conversationId)}`
    case 'watch':
      return `opens stream ${seen.stream} of ${seen.of}${seen.only ? ` of ${short(seen.only)}` : ''} at ${seen.node} for ${seen.userId}`
    case 'leftover':
      return `${seen.userId} has everything of ${short(seen.conversationId)}, and a pending row from #${seen.first}`
    case 'empty':
      return `${short(seen.conversationId)} is made, without a message`
    case 'fault':
      return `*** ${seen.what}`
    case 'unindexed':
      return `${seen.userId} is away, ${short(seen.conversationId)}#${seen.first} is undelivered, the pending row says ${seen.row}`
    case 'behind':
      return `is not current with ${seen.of}: has ${seen.held} of ${short(seen.conversationId)}#${seen.last}`
  }
}
