import type { GroupChange } from '../ports/log.ts'
import type { Observer } from '../ports/observer.ts'
import type { Ports } from '../ports/ports.ts'
import type { PushObserver } from '../ports/push.ts'
import type { WebhookObserver } from '../ports/webhooks.ts'
import type { MessageId, UserId } from '../protocol/ids.ts'
import { createAccess } from './conversations/access.ts'
import { createChatList } from './conversations/chat-list.ts'
import { createChats } from './conversations/chats.ts'
import { createDescribe } from './conversations/describe.ts'
import { createGroupQuotas, type GroupQuotas, groupQuotasDefault } from './conversations/group-quotas.ts'
import { createGroups } from './conversations/groups.ts'
import { createNotices } from './conversations/notices.ts'
import { createPastVersions } from './conversations/past-versions.ts'
import { createSettings } from './conversations/settings.ts'
import { createUnreadChats } from './conversations/unread-chats.ts'
import { createEraseConversation } from './erasure/erase-conversation.ts'
import { createConversationsEver, createEraseUser } from './erasure/erase-user.ts'
import { createExports } from './erasure/exports.ts'
import { createRetention } from './erasure/retention.ts'
import { createAnnounce } from './feed/announce.ts'
import { createEntryEvents } from './feed/entry-events.ts'
import { createFeedReaders } from './feed/feed-reader.ts'
import { createReadFeed } from './feed/read-feed.ts'
import { createAppend } from './log/append.ts'
import { createRecount } from './log/counters.ts'
import { createHighestSeqs } from './log/highest-seqs.ts'
import { createHistory } from './log/history.ts'
import { createLog } from './log/log.ts'
import { createPayloads, type PayloadKey } from './log/payloads.ts'
import { createAttachments } from './media/attachments.ts'
import { createSweepUploads } from './media/sweep-uploads.ts'
import { createUploads, type UploadBudget } from './media/uploads.ts'
import { nullObserver } from './observer.ts'
import { createBlocking } from './people/blocking.ts'
import { createHeldRestrictions } from './people/held-restrictions.ts'
import { createPeople } from './people/people.ts'
import { createPresence } from './people/presence.ts'
import { createReports } from './people/reports.ts'
import { createRestrictions } from './people/restrictions.ts'
import { createTyping } from './people/typing.ts'
import { createDevices } from './push/devices.ts'
import { createPush, noPushes } from './push/push.ts'
import { createPushRules } from './push/push-rules.ts'
import { createAcknowledge } from './sending/acknowledge.ts'
import { createAskFirst } from './sending/ask-first.ts'
import { createChange } from './sending/change.ts'
import { createDeliver } from './sending/deliver.ts'
import { createPublishBoundaries } from './sending/publish-boundaries.ts'
import { createSend } from './sending/send.ts'
import { createAttach } from './streams/attach.ts'
import { createFollow } from './streams/follow.ts'
import { createFollowChanges } from './streams/follow-changes.ts'
import { createFollowConversations } from './streams/follow-conversations.ts'
import { createFollowTicks } from './streams/follow-ticks.ts'
import { createKeptPositions } from './streams/kept-positions.ts'
import { createResyncScheduler } from './streams/resync-scheduler.ts'
import { createSubscribeUser } from './streams/user-subscription.ts'
import { createLongWork } from './tasks/long-work.ts'
import type { WorkTimes } from './tasks/timed-work.ts'
import { createLaneEvents } from './webhooks/lane-events.ts'
import { createWebhooks } from './webhooks/webhooks.ts'
import { createWebhookWork } from './webhooks/work.ts'

type DomainOptions = {
  nextMessageId: () => MessageId
  randomId: () => string
  onDetachError: (error: unknown) => void
  /** Called when bytes could not be removed with their message. */
  onMediaError?: (error: unknown) => void
  /** Called when a node could not read or hear who is refused. */
  onRestrictionsError?: (error: unknown) => void
  /** Called when a change in the log cannot be applied to its message; readers go past it. */
  onApplyError?: (error: unknown) => void
  /** How pushes are worded, retried and counted. */
  push?: { preview: boolean; random: () => number; observer: PushObserver }
  /** Counts what happens, for the metrics. */
  observer?: Observer
  /** How many events may wait for a slow reader before it has to read the log. */
  inboxLimit?: number
  /** Ticks of groups with more members than this are told together. */
  largeGroupAbove?: number
  /** Whether avatars may come from the viewer's own machine, as in development. */
  localAvatars?: boolean
  /** What a user may upload; without it, uploads are not limited. */
  uploadBudget?: UploadBudget
  /** The first hashes content, and the hashes of all are compared; the same on all nodes. Without one, plain hashes are used. */
  payloadKeys?: readonly PayloadKey[]
  /** Whether new hashes are cut to the length that suffices; nodes of earlier releases take those for other content. */
  shortHashes?: boolean
  /** How many conversations, and how many people, a node caches. */
  cacheSize?: number
  /** How many groups and direct chats one user may begin in an hour, how many people they may add to groups, and how often they may change groups. */
  groupQuotas?: GroupQuotas
  /** How much memory the cached conversations and their members may take. */
  conversationCacheBytes?: number
  /** Whether what happens is announced in the feed for backends. */
  feed?: boolean
  /** Called when work that goes on by itself has failed; it is tried again. */
  onWorkError?: (error: unknown) => void
  /** For how long a node holds the lease of what it works on. */
  workTimes?: WorkTimes
  /** How long an erasure waits until every node refuses the user. */
  settleMs?: number
  /** How large the parts are in which exports are written. */
  exportPartBytes?: number
  /** How the events of the feed are posted to webhooks, if there is a feed. */
  webhooks?: { random: () => number; observer: WebhookObserver; onError: (error: unknown) => void }
}

export type Domain = ReturnType<typeof createDomain>

const cacheSizeDefault = 50_000
const conversationCacheBytesDefault = 128 * 1024 * 1024

/** Builds everything the system does, on any implementation of the ports. */
export function createDomain(ports: Ports, options: DomainOptions) {
  const { cacheSize = cacheSizeDefault, conversationCacheBytes = conversationCacheBytesDefault } = options
  const { observer = nullObserver } = options
  const { onRestrictionsError: onTrouble = () => undefined } = options
  const held = createHeldRestrictions({ ...ports, onTrouble })
  const isGone = held.isBanned
  const access = createAccess({ ...ports, ...options, isGone }, { entries: cacheSize, bytes: conversationCacheBytes })
  const subscribeUser = createSubscribeUser({ ...ports, access })
  const log = createLog({ ...ports, observer })
  const highestSeqs = createHighestSeqs(log, cacheSize)
  const resyncScheduler = createResyncScheduler({ ...ports, ...options, onNodeDied: access.doubtCopies })
  const { feed: hasFeed = false } = options
  const { announceEntry, tell } = createAnnounce({ ...ports, isOn: hasFeed, nextEventId: options.nextMessageId })
  const people = createPeople(ports, cacheSize, { ...options, isGone, ...(hasFeed && { tell }) })
  const { erasedAmong } = people
  const settings = createSettings(ports)
  const devices = createDevices(ports, cacheSize)
  const { push: pushOptions } = options
  const push =
    ports.push && pushOptions
      ? createPush({
          ...ports,
          ...ports.push,
          ...pushOptions,
          access,
          devices,
          mayNotify: held.mayNotify,
          rules: createPushRules({ ...ports, ...pushOptions, access, settings, profilesOf: people.profilesOf }),
        })
      : undefined
  const pushes = push ?? noPushes
  const blocking = createBlocking({ ...ports, ...options })
  const keptPositions = createKeptPositions(ports, cacheSize)
  const publishBoundaries = createPublishBoundaries(ports, options)
  const acknowledge = createAcknowledge({ ...ports, publishBoundaries, log, highestSeqs, pushes, keptPositions })
  const deliver = createDeliver({ ...ports, ...acknowledge, pushes })
  const recount = createRecount({ ...ports, log })
  const append = createAppend({
    ...ports,
    ...options,
    log,
    highestSeqs,
    recount,
    blocking,
    announceEntry,
    hasFeed,
    observer,
  })
  const payloadOf = createPayloads({ ...ports, ...options })
  const quotas = createGroupQuotas(ports, options.groupQuotas ?? groupQuotasDefault)
  const groups = createGroups({
    ...ports,
    ...options,
    quotas,
    access,
    append,
    payloadOf,
    announceEntry,
    erasedAmong,
  })
  const pastVersions = createPastVersions(ports)
  const notices = createNotices({ ...pastVersions, decideChange: groups.decideChange })
  const tookEffect = async (change: GroupChange) => {
    const group = await groups.decideChange(change)
    return group !== undefined && pastVersions.tookEffect(group, change)
  }
  const eventsOfEntry = createEntryEvents({ ...ports, tookEffect })
  const openFeed = createFeedReaders({ ...ports, log, eventsOfEntry, observer })
  const readFeed = createReadFeed({ ...ports, openFeed })
  const { webhookPost } = ports
  const { webhooks: webhookOptions } = options
  const laneEvents = createLaneEvents({ ...ports, log, eventsOfEntry })
  const webhooks =
    hasFeed && webhookPost && webhookOptions
      ? createWebhooks({
          ...ports,
          ...webhookOptions,
          post: webhookPost,
          tell,
          laneEvents,
          feedEnd: readFeed.end,
          nextId: options.nextMessageId,
        })
      : undefined
  const webhookWork =
    webhooks && webhookPost && webhookOptions
      ? createWebhookWork({
          ...ports,
          ...webhookOptions,
          holder: options.randomId(),
          post: webhookPost.post,
          laneEvents,
          openFeed,
          disable: webhooks.disable,
        })
      : undefined
  const typing = createTyping({ ...ports, subscribeUser, resyncScheduler, blocking, observer }, cacheSize)
  const attachments = createAttachments({ ...ports, onMediaError: options.onMediaError ?? (() => undefined) })
  const { onApplyError = () => undefined } = options
  const { discard } = attachments
  const askFirst = createAskFirst({ ...ports, access })
  const changing = createChange({ ...ports, append, askFirst, payloadOf, pushes, deliver, discard, onApplyError })
  const chats = createChats({ ...ports, log, access })
  const unreadChats = createUnreadChats({ ...ports, access, chats })
  const attach = createAttach({
    ...ports,
    ...options,
    ...acknowledge,
    subscribeUser,
    resyncScheduler,
    pushes,
    observer,
  })
  const restrictions = createRestrictions({ ...ports, held, tell, onTrouble })
  const exports = createExports({ ...ports, ...options })
  const eraseConversation = createEraseConversation({
    ...ports,
    access,
    groups,
    log,
    removeFiles: attachments.remove,
    setBlocked: blocking.setBlocked,
    renewExport: exports.renew,
    tellErased: changing.tellErased,
  })
  const conversationsEver = createConversationsEver(ports)
  const eraseUser = createEraseUser({
    ...ports,
    ...options,
    eraseConversation,
    eraseProfile: people.erase,
    removeExport: exports.remove,
    ban: restrictions.ban,
    setBlocked: blocking.setBlocked,
    removeDevice: devices.remove,
    tell,
  })
  const retention = createRetention({ ...ports, access, log, removeFiles: attachments.remove, observer })
  const reading = { log, highestSeqs, recount, access, decideChange: groups.decideChange, keptPositions, observer }
  return {
    access,
    resyncScheduler,
    /** Whether all boundaries that were written are published, too. */
    isAllTold: publishBoundaries.isAllTold,
    ...createSend({
      ...ports,
      access,
      append,
      deliver,
      acknowledge,
      findAttachments: attachments.find,
      askFirst,
      payloadOf,
      quotas,
      stopTyping: typing.stopTyping,
      erasedAmong,
      observer,
    }),
    uploads: createUploads({ ...ports, ...options, budget: options.uploadBudget }),
    sweepUploads: createSweepUploads({ ...ports, isShown: attachments.isShown }),
    change: changing.change,
    changeOnce: changing.changeOnce,
    ack: acknowledge.ack,
    markRead: acknowledge.markRead,
    boundariesOfMembers: acknowledge.boundariesOfMembers,
    boundariesAt: acknowledge.boundariesAt,
    follow: createFollow({ ...ports, ...reading, notices, attach, acknowledge }),
    followChanges: createFollowChanges({ ...ports, ...reading, ...changing, subscribeUser, resyncScheduler }),
    followTicks: createFollowTicks({ ...ports, access, subscribeUser, resyncScheduler, observer }),
    groups,
    describe: createDescribe({ ...ports, groups, tell }),
    setTyping: typing.setTyping,
    followTyping: typing.followTyping,
    chats,
    unreadChats,
    chatList: createChatList({ ...ports, access, log, chats, settings }),
    ...createFollowConversations({
      ...ports,
      access,
      log,
      recount,
      subscribeUser,
      resyncScheduler,
      observer,
    }),
    settings,
    people,
    devices,
    refused: held,
    reports: createReports({ ...ports, tell }),
    restrictions,
    conversationsEver,
    /** As backends see it; users are asked for by `presenceOf`. */
    seen: (userIds: readonly UserId[]) => ports.sessions.seen(userIds),
    push,
    ...createPresence({ ...ports, access, resyncScheduler, blocking, observer }),
    feed: { isOn: hasFeed, tell, open: openFeed, ...readFeed },
    webhooks,
    webhookWork,
    retention,
    tasks: createLongWork(ports, {
      ...options,
      access,
      log,
      tookEffect,
      conversationsEver,
      observer,
      eraseUser,
      retain: retention.work,
    }),
    setBlocked: blocking.setBlocked,
    haveBlocked: blocking.haveBlocked,
    blockedAbove: blocking.blockedAbove,
    blockedBelow: blocking.blockedBelow,
    history: createHistory({ ...ports, log, highestSeqs, access, decideChange: groups.decideChange, notices }),
  }
}
