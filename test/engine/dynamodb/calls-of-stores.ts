import type { Stores } from '../../../src/ports/ports.ts'
import type { Device } from '../../../src/ports/push.ts'
import type { Report } from '../../../src/ports/reports.ts'
import type { Task, Timer } from '../../../src/ports/tasks.ts'
import type { DeliveryFailure, ShareProgress, Webhook } from '../../../src/ports/webhooks.ts'
import { attachmentId, type DeviceId, type UserId } from '../../../src/protocol/ids.ts'
import { aChange, aConversation, aGroup, aMessage, aUser } from '../../kit/ids.ts'

/** Each method of each store, with arguments that any store takes. A new method is asked for by the type. */
export function callsOf(stores: Stores): { [P in keyof Stores]: { [M in keyof Stores[P]]: () => Promise<unknown> } } {
  const {
    messages,
    claims,
    pending,
    boundaries,
    conversations,
    memberships,
    uploads,
    devices,
    profiles,
    blocks,
    devicePositions,
    departures,
    feed,
    leases,
    reports,
    restrictions,
    tasks,
    timers,
    webhooks,
    webhookProgress,
    webhookFailures,
  } = stores
  const [conversationId, userId] = [aConversation(), aUser()]
  const message = aMessage(conversationId, 1)
  const claim = { ...message, payloadHash: 'hash' }
  const member = { userId, conversationId }
  const file = { id: attachmentId(1, 'file'), key: 'attachments/file', contentType: 'image/png', byteSize: 12 }
  const upload = { ...file, ownerId: userId, expiresAtMs: 3_600_000 }
  const device: Device = {
    userId,
    deviceId: 'phone' as DeviceId,
    platform: 'LOG',
    token: 'token',
    registeredAtMs: 1,
  }
  const lease = { name: 'a', holder: 'b', version: 1, untilMs: 1 }
  const pseudonym = 'erased-1' as UserId
  const report: Report = { id: 'a', state: 'OPEN', reporterId: userId, userId, reason: 'SPAM', createdAtMs: 1 }
  const task: Task = {
    id: 'a',
    kind: 'eraseUser',
    run: 'b',
    state: 'QUEUED',
    progress: 0,
    createdAtMs: 1,
    failures: 0,
    leaseVersion: 1,
  }
  const timer: Timer = { kind: 'task', subject: 'a', dueMs: 1 }
  const webhook: Webhook = {
    id: 'a',
    url: 'https://example.com',
    enabled: true,
    secret: 'whsec_',
    start: [],
    run: 1,
    resumedAtMs: 1,
    createdAtMs: 1,
    version: 2,
  }
  const progress: ShareProgress = { run: 1, againRun: 0, positions: [], lanes: [], resumedAtMs: 1 }
  const failure: DeliveryFailure = {
    id: 'b',
    eventId: 'c',
    type: 'message.sent',
    occurredAtMs: 1,
    place: { partition: 0, row: 1, conversationId, seq: 1, nth: 0 },
    attempts: 1,
    givenUpAtMs: 1,
  }
  return {
    messages: {
      put: () => messages.put(message),
      alter: () => messages.alter(aChange(message, 2, { type: 'delete' })),
      get: () => messages.get(message),
      getMany: () => messages.getMany([message]),
      above: () => messages.above(conversationId, 0, 10),
      below: () => messages.below(conversationId, 9, 10),
      ofOthers: () => messages.ofOthers(conversationId, { after: 0, before: 9 }, userId, 10),
      erase: () => messages.erase(message, { userId, pseudonym, atMs: 1 }),
      empty: () => messages.empty(message, 'void'),
    },
    claims: {
      claim: () => claims.claim(claim),
      get: () => claims.get(userId, claim.clientMessageId),
      move: () => claims.move(claim, 2),
      remove: () => claims.remove(userId, claim.clientMessageId),
    },
    pending: {
      lower: () => pending.lower(userId, conversationId, 1),
      get: () => pending.get(userId, conversationId),
      list: () => pending.list(userId),
      raise: () => pending.raise(userId, conversationId, 2),
      remove: () => pending.remove(userId, conversationId, 2),
    },
    boundaries: {
      deliver: () => boundaries.deliver(member, 1),
      read: () => boundaries.read(member, 1),
      getMany: () => boundaries.getMany([member]),
      ofUser: () => boundaries.ofUser(userId),
      note: () => boundaries.note(member),
      remove: () => boundaries.remove(member),
    },
    conversations: {
      create: () => conversations.create(aGroup({ id: conversationId, members: [userId] })),
      replace: () => conversations.replace(aGroup({ id: conversationId, members: [userId] }), 1),
      getMany: () => conversations.getMany([conversationId]),
      setMetadata: () => conversations.setMetadata(conversationId, '{}'),
      replaceMember: () => conversations.replaceMember(conversationId, userId, pseudonym),
      setRetention: () => conversations.setRetention(conversationId, 7),
      raiseFloor: () => conversations.raiseFloor(conversationId, 1, 7),
      noteEmptied: () => conversations.noteEmptied(conversationId, 1),
    },
    memberships: {
      addFirst: () => memberships.addFirst([userId], { conversationId, joinedSeq: 1 }),
      add: () => memberships.add(userId, { conversationId, joinedSeq: 0 }),
      remove: () => memberships.remove(userId, conversationId, 1),
      ofUser: () => memberships.ofUser(userId),
      getMany: () => memberships.getMany([member]),
      configure: () => memberships.configure(member, { pinned: true }),
    },
    uploads: {
      create: () => uploads.create(upload),
      getMany: () => uploads.getMany([upload.id]),
      attach: () => uploads.attach(upload.id, message.clientMessageId),
      expiringIn: () => uploads.expiringIn(1, 10),
      remove: () => uploads.remove(upload.id),
      sweptHour: () => uploads.sweptHour(),
      setSweptHour: () => uploads.setSweptHour(1),
    },
    devices: {
      put: () => devices.put(device),
      ofUser: () => devices.ofUser(userId),
      remove: () => devices.remove(device),
      own: () => devices.own(device),
      ownersOf: () => devices.ownersOf([device]),
      disown: () => devices.disown(device),
    },
    profiles: {
      put: () => profiles.put({ userId }),
      getMany: () => profiles.getMany([userId]),
      change: () => profiles.change(userId, { ownName: 'Zoë' }),
      erase: () => profiles.erase(userId, 1),
    },
    blocks: {
      set: () => blocks.set({ userId, blockedId: userId }, true),
      getMany: () => blocks.getMany([{ userId, blockedId: userId }]),
      above: () => blocks.above(userId, undefined, 10),
      below: () => blocks.below(userId, undefined, 10),
    },
    devicePositions: {
      start: () => devicePositions.start(device),
      begin: () => devicePositions.begin({ ...device, startSeqs: new Map(), usedAtMs: 1 }),
      use: () => devicePositions.use(device, 1),
      acked: () => devicePositions.acked(device),
      raise: () => devicePositions.raise(device, conversationId, 'messages', 1),
      ofUser: () => devicePositions.ofUser(userId),
      forget: () => devicePositions.forget({ ...device, startSeqs: new Map(), usedAtMs: 1 }),
    },
    departures: {
      put: () => departures.put({ userId, groupId: conversationId, leftAtMs: 1 }),
      getMany: () => departures.getMany(conversationId, [userId]),
      remove: () => departures.remove({ userId, groupId: conversationId, leftAtMs: 1 }),
      ofUser: () => departures.ofUser(userId),
    },
    feed: {
      put: () => feed.put({ kind: 'void', partition: 0, position: 1, atMs: 1 }),
      above: () => feed.above(0, 1, 10),
      last: () => feed.last(0),
      start: () => feed.start(0),
      setStart: () => feed.setStart(0, 1, undefined),
    },
    leases: {
      take: () => leases.take('a', 'b', { nowMs: 1, untilMs: 2 }),
      hold: () => leases.hold(lease, 2),
      end: () => leases.end(lease),
      getMany: () => leases.getMany(['a']),
      remove: () => leases.remove('a'),
    },
    reports: {
      put: () => reports.put(report),
      get: () => reports.get('a'),
      resolve: () => reports.resolve('a', 'done'),
      setTold: () => reports.setTold('a'),
      below: () => reports.below('OPEN', undefined, 10),
      ofUser: () => reports.ofUser(userId, undefined, 10),
      redact: () => reports.redact('a', userId, pseudonym),
    },
    restrictions: {
      putBan: () => restrictions.putBan({ kind: 'ban', userId }),
      removeBan: () => restrictions.removeBan(userId),
      putRevocation: () => restrictions.putRevocation({ kind: 'revocation', userId, issuedBeforeMs: 1 }),
      getMany: () => restrictions.getMany([userId]),
      page: () => restrictions.page(undefined, 10),
      version: () => restrictions.version(),
      raiseVersion: () => restrictions.raiseVersion(),
    },
    tasks: {
      begin: () => tasks.begin(task),
      get: () => tasks.get('a'),
      save: () => tasks.save(task),
      remove: () => tasks.remove('a'),
    },
    timers: {
      set: () => timers.set(timer),
      due: () => timers.due(1, 10),
      remove: () => timers.remove(timer),
    },
    webhooks: {
      list: () => webhooks.list(),
      get: () => webhooks.get('a'),
      create: () => webhooks.create(webhook),
      replace: () => webhooks.replace(webhook),
      remove: () => webhooks.remove('a'),
    },
    webhookProgress: {
      of: () => webhookProgress.of('a'),
      save: () => webhookProgress.save('a', 1, 1, progress),
      remove: () => webhookProgress.remove('a', 1),
    },
    webhookFailures: {
      put: () => webhookFailures.put('a', failure),
      above: () => webhookFailures.above('a', '', 10),
      below: () => webhookFailures.below('a', undefined, 10),
      remove: () => webhookFailures.remove('a', 'b'),
    },
  }
}
