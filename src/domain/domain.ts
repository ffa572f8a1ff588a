import type { Observer } from '../ports/observer.ts'
import type { Ports } from '../ports/ports.ts'
import type { PushObserver } from '../ports/push.ts'
import type { MessageId } from '../protocol/ids.ts'
import { createAccess } from './access.ts'
import { createAcknowledge } from './acknowledge.ts'
import { createAppend } from './append.ts'
import { createAttach } from './attach.ts'
import { createAttachments } from './attachments.ts'
import { createBeat } from './beat.ts'
import { createBlocking } from './blocking.ts'
import { createChange } from './change.ts'
import { createChatList } from './chat-list.ts'
import { createChats } from './chats.ts'
import { createRecount } from './counters.ts'
import { createDeliver } from './deliver.ts'
import { createDevices } from './devices.ts'
import { createFollow } from './follow.ts'
import { createFollowChanges } from './follow-changes.ts'
import { createFollowConversations } from './follow-conversations.ts'
import { createFollowTicks } from './follow-ticks.ts'
import { createGroupQuotas, type GroupQuotas, groupQuotasDefault } from './group-quotas.ts'
import { createGroups } from './groups.ts'
import { createHeads } from './heads.ts'
import { createListen } from './hearing.ts'
import { createHistory } from './history.ts'
import { createLog } from './log.ts'
import { nobody } from './observer.ts'
import { createPayloads, type PayloadKey } from './payloads.ts'
import { createPeople } from './people.ts'
import { createPresence } from './presence.ts'
import { createPush, noPushes } from './push.ts'
import { createPushRules } from './push-rules.ts'
import { createSend } from './send.ts'
import { createSettings } from './settings.ts'
import { createSweepUploads } from './sweep-uploads.ts'
import { createTyping } from './typing.ts'
import { createUploads, type UploadBudget } from './uploads.ts'

export type DomainOptions = {
  nextMessageId: () => MessageId
  randomId: () => string
  onDetachError: (error: unknown) => void
  /** Told of bytes that could not be removed with their message. */
  onMediaError?: (error: unknown) => void
  /** Told of a change in the log that cannot be applied to its message: readers go past it. */
  onApplyError?: (error: unknown) => void
  /** How pushes are worded and retried, and who is told of them. */
  push?: { preview: boolean; random: () => number; observer: PushObserver }
  /** Told of what there is to count. */
  observer?: Observer
  /** How many events may wait for a slow reader before it is sent to the log. */
  inboxLimit?: number
  /** Whether pictures may come from the viewer's own machine, as in development. */
  localAvatars?: boolean
  /** What a user may upload; as much as they like where there is none. */
  uploadBudget?: UploadBudget
  /** What content is hashed with, the same on all nodes; plainly, where it is not given. */
  payloadKey?: PayloadKey
  /** How many conversations and people a node keeps in mind, of each. */
  cacheSize?: number
  /** How many groups and direct chats one user may begin in an hour, how many people they may add to groups, and how often they may change groups. */
  groupQuotas?: GroupQuotas
  /** How much memory the conversations may take of that, their members included. */
  conversationCacheBytes?: number
}

export type Domain = ReturnType<typeof createDomain>

const cacheSizeDefault = 50_000
const conversationCacheBytesDefault = 128 * 1024 * 1024

/** Everything the system does, on whatever keeps the ports' promises. */
export function createDomain(ports: Ports, options: DomainOptions) {
  const { cacheSize = cacheSizeDefault, conversationCacheBytes = conversationCacheBytesDefault } = options
  const { observer = nobody } = options
  const access = createAccess({ ...ports, ...options }, { entries: cacheSize, bytes: conversationCacheBytes })
  const listen = createListen({ ...ports, access })
  const log = createLog({ ...ports, observer })
  const heads = createHeads(log, cacheSize)
  const beat = createBeat(ports)
  const people = createPeople(ports, cacheSize, options)
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
          rules: createPushRules({ ...ports, ...pushOptions, access, settings, profilesOf: people.profilesOf }),
        })
      : undefined
  const pushes = push ?? noPushes
  const blocking = createBlocking({ ...ports, ...options })
  const acknowledge = createAcknowledge({ ...ports, log, heads, pushes })
  const deliver = createDeliver({ ...ports, pushes, forgetPending: acknowledge.forgetPending })
  const recount = createRecount({ ...ports, log })
  const append = createAppend({ ...ports, ...options, log, heads, recount, blocking, observer })
  const payloadOf = createPayloads({ ...ports, ...options })
  const quotas = createGroupQuotas(ports, options.groupQuotas ?? groupQuotasDefault)
  const groups = createGroups({ ...ports, ...options, quotas, access, append, payloadOf })
  const typing = createTyping({ ...ports, listen, beat, blocking, observer }, cacheSize)
  const attachments = createAttachments({ ...ports, onMediaError: options.onMediaError ?? (() => undefined) })
  const { onApplyError = () => undefined } = options
  const { discard } = attachments
  const changing = createChange({ ...ports, append, payloadOf, pushes, deliver, discard, onApplyError })
  const chats = createChats({ ...ports, log, access })
  const attach = createAttach({ ...ports, ...options, ...acknowledge, listen, beat, pushes, observer })
  const reading = { log, heads, recount, access, settle: groups.settle, observer }
  return {
    access,
    beat,
    ...createSend({
      ...ports,
      access,
      append,
      deliver,
      acknowledge,
      attach: attachments.attach,
      payloadOf,
      quotas,
      onSent: typing.sent,
      observer,
    }),
    uploads: createUploads({ ...ports, ...options, budget: options.uploadBudget }),
    sweepUploads: createSweepUploads({ ...ports, isShown: attachments.isShown }),
    change: changing.change,
    ack: acknowledge.ack,
    markRead: acknowledge.markRead,
    ticksOf: acknowledge.ticksOf,
    follow: createFollow({ ...ports, ...reading, attach, acknowledge }),
    followChanges: createFollowChanges({ ...ports, ...reading, ...changing, listen, beat }),
    followTicks: createFollowTicks({ ...ports, access, listen, beat, observer }),
    groups,
    setTyping: typing.setTyping,
    followTyping: typing.followTyping,
    chats,
    chatList: createChatList({ ...ports, access, log, chats, settings }),
    followConversations: createFollowConversations({ ...ports, access, log, recount, listen, beat, observer }),
    settings,
    people,
    devices,
    push,
    ...createPresence({ ...ports, access, beat, blocking, observer }),
    setBlocked: blocking.setBlocked,
    history: createHistory({ ...ports, log, heads, access, settle: groups.settle }),
  }
}
