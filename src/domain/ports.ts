// What the domain needs from the world. Implementations live in src/store, named by suffix: messages.dynamo.ts,
// sequencer.redis.ts, sequencer.memory.ts. All of them keep these rules:
// - A call that fails throws ChatError('UNAVAILABLE'). It may or may not have taken effect; every caller copes with both.
// - Reads are consistent: they see every write that was answered before the read began.
// - Writes touch a single item, under a condition where one is named (P8).

import type {
  AttachmentId,
  ClientMessageId,
  ConversationId,
  DeviceId,
  MessageAddress,
  MessageId,
  Seq,
  UserId,
} from '../protocol/ids.ts'
import type { Boundaries, Ticks } from '../protocol/ticks.ts'

// ---------------------------------------------------------------- time and chance

export interface Clock {
  now(): number
  /** Resolves after that time, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

// ---------------------------------------------------------------- DynamoDB: slow, never forgets

/** What somebody put into a conversation's log. */
export type Entry = MessageAddress & {
  messageId: MessageId
  clientMessageId: ClientMessageId
  senderId: UserId
  sentAtMs: number
}

/** `seq`: of the change that set it. One that was taken back stays, so that a late change does not bring it back. */
export type Reaction = { emoji: string; userId: UserId; seq: Seq; on: boolean }

/** A file of a message. `key`: where its bytes lie. */
export type Attachment = { id: AttachmentId; key: string; contentType: string; byteSize: number; name?: string }

/** A message, with what later changes have made of it. */
export type Message = Entry & {
  kind: 'message'
  /** Empty once it is deleted. */
  body: string
  replyToSeq?: Seq
  /** Gone once it is deleted. */
  attachments?: readonly Attachment[]
  edited?: { seq: Seq; atMs: number }
  deletedAtMs?: number
  /** By seq. */
  reactions?: readonly Reaction[]
}

/** What is done to a message later. */
export type Alteration =
  | { type: 'edit'; body: string }
  | { type: 'delete' }
  | { type: 'reaction'; emoji: string; on: boolean }

/** An alteration, with a place of its own in the log: whoever was away meets it there. */
export type Change = Entry & {
  kind: 'change'
  targetSeq: Seq
  alteration: Alteration
  /** In an event: the message as it was then, which saves its readers a read each. Not in the log. */
  target?: Message
}

/**
 * A change of the group itself: who is in it, with which role, what it is called. It was made for one version of the group, and takes
 * effect only on that one: of several made for the same version, the first to be applied.
 */
export type GroupChange = Entry & {
  kind: 'group'
  baseVersion: Seq
  added: readonly UserId[]
  removed: readonly UserId[]
  /** Of those added, and of others who get another one. Whoever is added without one is a MEMBER. */
  roles: readonly { userId: UserId; role: Role }[]
  title?: string
  /** In an event: it has taken effect, which saves its readers a read each. Not in the log. */
  applied?: true
}

/** A number that was skipped, for good. */
export type Void = MessageAddress & { kind: 'void' }

/** A cell of a conversation's log: written once. Only what a message shows changes, by the changes above it. */
export type LogRow = LogEntry | Void

export type LogEntry = Message | Change | GroupChange

export interface MessageLog {
  /** Writes the row if its cell is empty. */
  put(row: LogRow): Promise<'written' | 'taken'>
  /**
   * Lets the target show the change, unless it shows a later one of its kind, or is deleted. Twice does no more than once.
   * Returns the message as it is now, or undefined where there is none.
   */
  alter(change: Change): Promise<Message | undefined>
  get(address: MessageAddress): Promise<LogRow | undefined>
  /** Those of the cells that are not empty, in any order. */
  getMany(addresses: readonly MessageAddress[]): Promise<LogRow[]>
  /** The first `limit` rows with seq > after, ascending; fewer only where the log ends. */
  above(conversationId: ConversationId, after: Seq, limit: number): Promise<LogRow[]>
  /** The last `limit` rows with seq < before, descending; fewer only where the log begins. */
  below(conversationId: ConversationId, before: Seq, limit: number): Promise<LogRow[]>
  /** How many messages with seq > after are not by this sender and not deleted, counted no further than `most`. */
  countOfOthers(conversationId: ConversationId, after: Seq, senderId: UserId, most: number): Promise<number>
}

/** The one place where a send's seq is decided. Never expires: a retry may come at any age (P2). */
export type Claim = {
  senderId: UserId
  clientMessageId: ClientMessageId
  conversationId: ConversationId
  seq: Seq
  payloadHash: string
}

export interface Claims {
  /** Puts the claim if there is none. Returns the claim that stands: this one, or the earlier one. */
  claim(claim: Claim): Promise<Claim>
  get(senderId: UserId, clientMessageId: ClientMessageId): Promise<Claim | undefined>
  /** Moves the claim to another seq IF it still has `claim.seq`. */
  move(claim: Claim, toSeq: Seq): Promise<boolean>
}

export type Pending = { conversationId: ConversationId; firstUndeliveredSeq: Seq }

/** An index of who has something waiting where. The boundaries are the truth; this only saves looking everywhere. */
export interface PendingIndex {
  /** Keeps the minimum of what is there and `seq`. */
  lower(receiverId: UserId, conversationId: ConversationId, seq: Seq): Promise<void>
  get(receiverId: UserId, conversationId: ConversationId): Promise<Pending | undefined>
  list(receiverId: UserId): Promise<Pending[]>
  /** Raises the row to `toSeq` IF it is there and lower. */
  raise(receiverId: UserId, conversationId: ConversationId, toSeq: Seq): Promise<void>
  /** Deletes the row IF firstUndeliveredSeq <= upTo. */
  remove(receiverId: UserId, conversationId: ConversationId, upTo: Seq): Promise<void>
}

export type MemberAddress = { userId: UserId; conversationId: ConversationId }
export type BoundaryChange = { ticks: Ticks; changed: boolean }

export interface BoundaryStore {
  /** SET delivered = seq IF absent or lower. */
  deliver(member: MemberAddress, seq: Seq): Promise<BoundaryChange>
  /** SET read = seq IF absent or lower, and lifts delivered to at least seq. `delivered`, if known, saves a second try. */
  read(member: MemberAddress, seq: Seq, delivered?: Seq): Promise<BoundaryChange>
  /** Zeroes where there is no row. In the order asked for. */
  getMany(members: readonly MemberAddress[]): Promise<Ticks[]>
  /** Every row the user has. */
  ofUser(userId: UserId): Promise<Ticks[]>
}

export type Role = 'OWNER' | 'ADMIN' | 'MEMBER'

/** A member's place in a group. `joinedSeq`: of the change by which they came; they see what is above it. */
export type Seat = { role: Role; joinedSeq: Seq }

/** Two people, or one with themselves. Never changes. */
export type Direct = { id: ConversationId; kind: 'DIRECT'; members: readonly UserId[] }

/** `members`: in the order they came. `version`: the seq of the last change that took effect. */
export type Group = {
  id: ConversationId
  kind: 'GROUP'
  title: string
  members: readonly UserId[]
  seats: ReadonlyMap<UserId, Seat>
  version: Seq
}

export type Conversation = Direct | Group

export interface ConversationStore {
  /** Puts it if there is none of that id. */
  create(conversation: Conversation): Promise<void>
  getMany(ids: readonly ConversationId[]): Promise<Conversation[]>
  /** Puts the group in the place of the one that is there IF that has `version`. */
  replace(group: Group, version: Seq): Promise<boolean>
}

/** What one member has decided for themselves about a conversation. */
export type Settings = { mutedUntilMs?: number; pinned: boolean; archived: boolean }
/** What is not named stays. `mutedUntilMs: null` ends it. */
export type SettingsChange = { mutedUntilMs?: number | null; pinned?: boolean; archived?: boolean }

/** Without `settings` it is neither muted nor pinned nor archived. */
export type Membership = { conversationId: ConversationId; joinedSeq: Seq; settings?: Settings }

/**
 * An index of who may be in which conversation. The conversations are the truth: a row may be there for somebody who is not in one
 * (any more, or yet), never the other way round.
 */
export interface MembershipStore {
  /** Puts the first ones of a conversation that is being made: nobody has set anything in them yet. */
  found(userIds: readonly UserId[], membership: Membership): Promise<void>
  /** Puts it, or raises its joinedSeq. */
  add(userId: UserId, membership: Membership): Promise<void>
  /** Deletes it IF its joinedSeq is below `seq`. */
  remove(userId: UserId, conversationId: ConversationId, seq: Seq): Promise<void>
  ofUser(userId: UserId): Promise<Membership[]>
  /** In the order asked for; undefined where there is none. */
  getMany(members: readonly MemberAddress[]): Promise<(Membership | undefined)[]>
  /** Changes the settings of a membership that is there, at least one of them. Returns it as it is now, or undefined. */
  configure(member: MemberAddress, change: SettingsChange): Promise<Membership | undefined>
}

/** `name`: from their token. `ownName`, `avatarUrl`: what they chose themselves. */
export type Profile = { userId: UserId; name?: string; ownName?: string; avatarUrl?: string }
/** Null takes it away; what is not named stays. */
export type ProfileChange = { ownName?: string | null; avatarUrl?: string | null }

export interface ProfileStore {
  /** Sets the name of the token, and leaves the rest. Returns the profile as it is now. */
  put(profile: Pick<Profile, 'userId' | 'name'>): Promise<Profile>
  /** Changes what they chose. Returns the profile as it is now. */
  change(userId: UserId, change: ProfileChange): Promise<Profile>
  getMany(userIds: readonly UserId[]): Promise<Profile[]>
}

/** `userId` has blocked `blockedId`. */
export type Block = { userId: UserId; blockedId: UserId }

export interface BlockStore {
  set(block: Block, blocked: boolean): Promise<void>
  /** Which of these stand, in the order asked for. */
  getMany(blocks: readonly Block[]): Promise<boolean[]>
}

/** A file somebody has announced. `attachedTo`: the send of its owner that has taken it. */
export type Upload = Attachment & { ownerId: UserId; expiresAtMs: number; attachedTo?: ClientMessageId }

export interface Uploads {
  create(upload: Upload): Promise<void>
  /** Those that exist, in any order. */
  getMany(ids: readonly AttachmentId[]): Promise<Upload[]>
  /** Gives it to this send IF no other has it. Returns whether it is this one's now. */
  attach(id: AttachmentId, clientMessageId: ClientMessageId): Promise<boolean>
  /** Some of those that expire in that hour, counted from 1970; none only where there are none. */
  expiringIn(hour: number, limit: number): Promise<Upload[]>
  remove(id: AttachmentId): Promise<void>
  /** The last hour that was swept. */
  sweptHour(): Promise<number | undefined>
  /** SET swept = hour IF absent or lower. */
  setSweptHour(hour: number): Promise<void>
}

export type PushPlatform = 'WEBPUSH' | 'FCM' | 'APNS' | 'LOG'

/** An installation of somebody that can be pushed to. */
export type Device = {
  userId: UserId
  deviceId: DeviceId
  platform: PushPlatform
  /** The address its platform gave it. */
  token: string
  registeredAtMs: number
}
export type DeviceAddress = Pick<Device, 'userId' | 'deviceId'>

/**
 * Two rows for each device: its own, by which a user's devices are found, and one by its token, which names the one device that has
 * it. Where the two disagree, the token's is the truth: a token that has moved to somebody else is nobody's by an older row.
 */
export interface DeviceStore {
  put(device: Device): Promise<void>
  ofUser(userId: UserId): Promise<Device[]>
  /** Deletes it IF it still has this token. */
  remove(device: Device): Promise<void>
  /** From now on the token is this device's, whosever it was. */
  own(device: Device): Promise<void>
  /** Whose the tokens of these are, in the order asked for; undefined where nobody has it. */
  ownersOf(devices: readonly Pick<Device, 'platform' | 'token'>[]): Promise<(DeviceAddress | undefined)[]>
  /** Deletes the token's row IF it names this device. */
  disown(device: Device): Promise<void>
}

// ---------------------------------------------------------------- S3: bytes

export type SignedPut = { url: string; headers: Readonly<Record<string, string>> }

/** URLs are absolute, or begin with a slash where the node itself keeps the bytes. Whoever has one may use it. */
export interface Media {
  /** To be PUT with these headers and exactly `byteSize` bytes; anything else is refused. Good for 15 minutes. */
  presignPut(file: Attachment): Promise<SignedPut>
  /** Good for an hour at least, and the same for a while, so that browsers need not fetch twice. */
  presignGet(file: Attachment): Promise<string>
  /** Whether its bytes are there, of the size and type promised. */
  isUploaded(file: Attachment): Promise<boolean>
  /** Also where there is nothing. */
  remove(key: string): Promise<void>
}

// ---------------------------------------------------------------- Redis: fast, allowed to forget at any moment

/** Hands out seqs. Only a hint: a number it gives may turn out taken, and the log's cells decide. */
export interface Sequencer {
  /**
   * The next seq, or the one this very send (sender and client id) got before: then `known` is true and no number is
   * used up. Undefined where the counter is gone: then read the log's last seq and call `seed`.
   */
  reserve(conversationId: ConversationId, send: SendKey): Promise<Reservation | undefined>
  /** Lifts the counter to at least `lastSeq`. */
  seed(conversationId: ConversationId, lastSeq: Seq): Promise<void>
  /** The next seq after a collision, above `taken` in any case. */
  reserveAbove(conversationId: ConversationId, taken: Seq): Promise<Seq>
  /** Takes a reserved, unused seq back IF it is still the last one given. Returns whether it did. */
  giveBack(conversationId: ConversationId, seq: Seq): Promise<boolean>
  /** The counters, in the order asked for; undefined where one is gone. */
  heads(conversationIds: readonly ConversationId[]): Promise<(Seq | undefined)[]>
}

export type Reservation = { seq: Seq; known: boolean }
export type SendKey = { senderId: UserId; clientMessageId: ClientMessageId }

/** One subscription of one device, attached for all the user's conversations or for a single one. */
export type Session = { userId: UserId; connectionId: string; conversationId?: ConversationId }
export type SessionState = 'syncing' | 'online'

export type Presence = 'online' | 'syncing' | 'offline'
/** `lastSeenAtMs`: when the last session ended, or gave its last sign of life; absent while one stands, or if none is known. */
export type Seen = { presence: Presence; lastSeenAtMs?: number }

/**
 * Who is attached where, each with a TTL; and per user a mark "the pending index is complete". The mark stands only from
 * a clean end of the user's last session until the next attach, and only on the Redis process that took it. Whoever watches a
 * user is rung when a session's coming, going or change of state changes how the user appears; not when one expires.
 */
export interface Sessions {
  /** Registers as syncing and takes the mark. Returns whether it was there. */
  attach(session: Session): Promise<{ indexComplete: boolean }>
  /** Sets the states and renews the TTLs; registers again what Redis forgot. */
  renew(sessions: readonly { session: Session; state: SessionState }[]): Promise<void>
  /** From here on senders no longer count on this session. Others of the same user are left alone. */
  leave(session: Session): Promise<void>
  /** Sets the mark, unless the user has another session or one of them has ended uncleanly. */
  markIndexComplete(userId: UserId): Promise<void>
  presence(userIds: readonly UserId[]): Promise<Presence[]>
  /** The same, and when each was last here. In the order asked for. */
  seen(userIds: readonly UserId[]): Promise<Seen[]>
}

/**
 * What Redis remembers of who has blocked whom in a direct chat, so that a send need not read it. Where it knows nothing, the
 * first to ask leaves a lease there and may `settle` what DynamoDB says; a change meanwhile voids the lease.
 */
export interface BlockHints {
  /** The members that have blocked the other, or undefined: ask DynamoDB. In the order asked for. */
  look(conversationIds: readonly ConversationId[], lease: string): Promise<(readonly UserId[] | undefined)[]>
  /** As `Sequencer.reserve`, in one round trip with the look: nothing is reserved for a sender the other has blocked. */
  reserve(
    conversationId: ConversationId,
    send: SendKey,
    lease: string,
  ): Promise<Reservation | 'blocked' | 'unknown' | undefined>
  /** Puts the answer where the lease still is. */
  settle(conversationId: ConversationId, lease: string, blockers: readonly UserId[]): Promise<void>
  /** From here until `end`, or for a minute, nothing is known: DynamoDB is about to change. */
  begin(conversationId: ConversationId, change: string): Promise<void>
  /** Whatever was settled meanwhile is forgotten. Another change that has begun goes on. */
  end(conversationId: ConversationId, change: string): Promise<void>
}

/** The last message of a conversation: what it is placed by in lists. */
export type LastActivity = { seq: Seq; atMs: number }

/**
 * The order of lists. `Events.ring` keeps it, so that no message costs a write for it; what is gone is read from the log. It may
 * stand behind the log, never ahead of it.
 */
export interface Activity {
  /** In one round trip, in the order asked for; undefined where it is gone. */
  of(conversationIds: readonly ConversationId[]): Promise<(LastActivity | undefined)[]>
  /** Keeps the one with the higher seq, of each. */
  seed(found: readonly (LastActivity & { conversationId: ConversationId })[]): Promise<void>
}

/** What Redis remembers of a member's boundaries: never more than the truth, so that a send need not read it. */
export type BoundaryHint = Boundaries & {
  /** Changes with every pending row that is written; 0 means there is none. */
  pendingVersion: number
}

export interface BoundaryHints {
  get(member: MemberAddress): Promise<BoundaryHint | undefined>
  /**
   * Like get, for somebody about to change the pending row: unless the hint says there is none, it also drops the mark
   * of `Sessions`, for a crash halfway would leave the index incomplete.
   */
  open(member: MemberAddress): Promise<BoundaryHint | undefined>
  /**
   * Lifts each boundary to at least the given one. `clearedVersion`: the pending row seen at that version is gone; 0 for
   * somebody who saw neither a hint nor a row. A version that is another by now stays: a row was written meanwhile.
   */
  lift(member: MemberAddress, boundaries: Boundaries, clearedVersion?: number): Promise<void>
}

/**
 * The versions of groups, by which every node learns at once that its copy is an old one. Redis may forget them, and does not let
 * itself be told an old one after that: whoever finds none leaves a token, reads the group, and is believed only if the token is
 * still there. What another Redis process noted counts as forgotten.
 */
export interface GroupVersions {
  /** In the order asked for. Undefined where none is known: then read the group and call `settle` with the same token. */
  look(ids: readonly ConversationId[], token: string): Promise<(Seq | undefined)[]>
  settle(id: ConversationId, token: string, version: Seq): Promise<void>
  /** Of somebody who has just replaced the group. Never lowers it; where none is known, nobody who is reading the group is believed. */
  raise(id: ConversationId, version: Seq): Promise<void>
}

/** An event is a doorbell: it may be lost, doubled or late, and the reader then looks at the log. */
export type ChatEvent =
  | { type: 'message'; message: Message }
  | { type: 'change'; change: Change }
  | { type: 'group'; change: GroupChange }
  | { type: 'seat'; seat: SeatNews }
  | { type: 'ticks'; ticks: Ticks }
  | { type: 'typing'; typing: Typing }
  | { type: 'conversation'; conversationId: ConversationId }
  | { type: 'presence'; userId: UserId }

/** To somebody who was added to a group, or removed, by the change at this seq. */
export type SeatNews = MessageAddress & { joined: boolean }

/** Somebody is writing, or has stopped. Never stored. */
export type Typing = MemberAddress & { typing: boolean }

export interface EventListener {
  event(event: ChatEvent): void
  /** Events may have been lost: the link to Redis was down. */
  gap(): void
}

export interface EventSubscription {
  /** Resolves when every event published before this call has been handed to the listener. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Users, or a whole group. */
export type Audience = readonly UserId[] | ConversationId

export type Ring = {
  entry: LogEntry
  members: readonly UserId[]
  /** Members whose pending row was written since the last ring for this entry. */
  pendingWritten?: readonly UserId[]
}

export interface Events {
  /**
   * One round trip: publishes the entry to every member, lifts the conversation's counter to its seq, and returns the
   * members nobody is attached for. A sender nobody is attached for loses the mark of `Sessions`. A message becomes its
   * conversation's `Activity`; where that is gone, only if the counter says that nothing comes after it.
   */
  ring(ring: Ring): Promise<UserId[]>
  /** The same for a group, in one publish however many are in it; who is attached is not looked at. */
  ringGroup(entry: LogEntry): Promise<void>
  /** Publishes a member's new boundaries. */
  tell(audience: Audience, ticks: Ticks): Promise<void>
  /** Publishes to these users that a conversation is not as they knew it: their settings, say. */
  tellConversation(userIds: readonly UserId[], conversationId: ConversationId): Promise<void>
  /** Publishes that somebody is typing, or is no longer. */
  tellTyping(audience: Audience, typing: Typing): Promise<void>
  /** Publishes to these users that they were added to a group, or removed. */
  tellSeat(userIds: readonly UserId[], seat: SeatNews): Promise<void>
  /** Resolves when Redis has confirmed the subscription: everything published from then on is heard. */
  subscribe(userId: UserId, listener: EventListener): Promise<EventSubscription>
  subscribeGroup(id: ConversationId, listener: EventListener): Promise<EventSubscription>
  /** The same for how these users appear to others. */
  subscribePresence(userIds: readonly UserId[], listener: EventListener): Promise<EventSubscription>
}

/** A message whose receivers may have to be told by push. */
export type PushJob = MessageAddress & { senderId: UserId; atMs: number }
export type TakenJob = { id: string; job: PushJob }

/** A banner to be looked at: `seq` is the newest message it might show, sent `atMs`; 0 where only something was read. */
export type Wanted = MemberAddress & { seq: Seq; atMs: number }
/** `version` changes with every want. `attempts`: failed ones so far. */
export type ClaimedBanner = Wanted & { version: number; attempts: number }

/**
 * What waits to be pushed. First a job per message, however many it is for; then, one for each member and conversation, the
 * banners that may have to change: ten messages that wait are one.
 */
export interface PushQueue {
  add(job: PushJob): Promise<void>
  /** Some jobs, each given to one worker; again to another, if it is not done with it in half a minute. */
  take(limit: number): Promise<TakenJob[]>
  done(jobs: readonly TakenJob[]): Promise<void>
  /** Joins what is wanted already, keeping the higher seq. What waits for its time goes on waiting, unless it is `urgent`. */
  want(banners: readonly Wanted[], options?: { urgent?: boolean }): Promise<void>
  /** Some whose time has come. For `leaseMs` they are nobody else's. */
  claim(limit: number, leaseMs: number): Promise<ClaimedBanner[]>
  /** Done with it; or, with a `retryAtMs`, until then. If it was wanted again meanwhile, it is due at once. */
  settle(banner: ClaimedBanner, retryAtMs?: number): Promise<void>
  backlog(): Promise<PushBacklog>
}

/** `oldestDueMs`: how long the one that is due longest has been. */
export type PushBacklog = { jobs: number; banners: number; oldestDueMs: number }

/** `accepted`: whether the platform took it, or the attempt's outcome is not known yet. */
export type Shown = { seq: Seq; accepted: boolean }

/** What devices show, as far as Redis remembers. */
export interface Banners {
  of(member: MemberAddress): Promise<Map<DeviceId, Shown>>
  /** Null where nothing is shown any more. */
  note(member: MemberAddress, shown: ReadonlyMap<DeviceId, Shown | null>): Promise<void>
  any(member: MemberAddress): Promise<boolean>
  /** Counts a push to this user, and returns how many that makes in this window of time. */
  spend(userId: UserId, window: number, windowMs: number): Promise<number>
}

// ---------------------------------------------------------------- push services

/** What a device is told: a banner to show in the place of the conversation's last one, or to take it away. */
export type Notification = MessageAddress & ({ type: 'show'; title: string; body: string } | { type: 'withdraw' })

export type PushOutcome =
  | { type: 'accepted' }
  /** The device is gone for good, or never was. */
  | { type: 'unregistered' }
  /** Not now. `afterMs`: not before, as the service says. `alone`: it is about this device, not about the service. */
  | { type: 'retry'; afterMs?: number; reason: string; alone?: true }
  /** It will not be taken, however often it is tried. */
  | { type: 'rejected'; reason: string }

/** A way to devices of one platform. It never throws, and answers within a few seconds. */
export interface PushProvider {
  send(token: string, notification: Notification): Promise<PushOutcome>
  /** Why this cannot be a token of the platform. */
  tokenProblem(token: string): string | undefined
  /** What fails together: the service behind this token. */
  laneOf(token: string): string
  close(): void
}

/** Told for the metrics. */
export type PushObserver = {
  queued(outcome: 'added' | 'failed'): void
  sent(platform: PushPlatform, outcome: PushOutcome['type']): void
  /** What was given up. */
  dead(reason: 'expired' | 'rejected'): void
  failed(error: unknown): void
}

/** `publicKey`: what browsers subscribe with. */
export type Push = {
  queue: PushQueue
  banners: Banners
  providers: Partial<Record<PushPlatform, PushProvider>>
  publicKey?: string
}

// ---------------------------------------------------------------- whoever watches

export type StreamKind = 'messages' | 'changes' | 'ticks' | 'typing' | 'conversations' | 'presence'

/** Told in passing, for the metrics: nothing waits for it, and it never throws. */
export type Observer = {
  /** A message is stored and rung for; now it is acknowledged. */
  sent(tookMs: number): void
  /** A retry is answered with what its first attempt has put there. */
  duplicate(kind: LogEntry['kind']): void
  /** A number was skipped for good: by a reader that met a hole, or by a sender that had one left over. */
  voided(by: 'reader' | 'sender'): void
  attached(): void
  detached(): void
  /** A stream of messages has read what it had missed, that many cells of the log, and is live. */
  caughtUp(cells: number, tookMs: number): void
  /** A stream has read the log because events were lost, because the beat found some missing, or because one came too early. */
  resynced(stream: StreamKind, reason: 'lost' | 'beat' | 'hole'): void
  /** More waited for a reader than its queue holds. */
  overflowed(stream: StreamKind): void
}

// ---------------------------------------------------------------- rates

/** Of a token bucket: how fast it fills, and how much it holds. */
export type Rate = { perSecond: number; burst: number }

/** Token buckets that all nodes share. One that nobody has drawn from for long enough is full. */
export type RateLimits = {
  /** Takes up to `wanted` tokens, as many as there are. If there is none: how long until there is one. */
  draw(bucket: string, wanted: number, rate: Rate): Promise<{ tokens: number; retryAfterMs: number }>
}

// ---------------------------------------------------------------- all of it

export interface Stores {
  messages: MessageLog
  claims: Claims
  pending: PendingIndex
  boundaries: BoundaryStore
  conversations: ConversationStore
  memberships: MembershipStore
  profiles: ProfileStore
  blocks: BlockStore
  uploads: Uploads
  devices: DeviceStore
}

export interface SoftState {
  sequencer: Sequencer
  sessions: Sessions
  hints: BoundaryHints
  versions: GroupVersions
  activity: Activity
  blockHints: BlockHints
  events: Events
}

/** Without `media` there are no attachments; without `push` nobody is told who is away. */
export type Ports = Stores & SoftState & { clock: Clock; media?: Media; push?: Push }
