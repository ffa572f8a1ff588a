import type { MessageId } from '../protocol/ids.ts'
import { createAccess } from './access.ts'
import { createAcknowledge } from './acknowledge.ts'
import { createAppend } from './append.ts'
import { createAttach } from './attach.ts'
import { createAttachments } from './attachments.ts'
import { createBeat } from './beat.ts'
import { createChange } from './change.ts'
import { createChats } from './chats.ts'
import { createDeliver } from './deliver.ts'
import { createFollow } from './follow.ts'
import { createFollowChanges } from './follow-changes.ts'
import { createFollowTicks } from './follow-ticks.ts'
import { createHeads } from './heads.ts'
import { createHistory } from './history.ts'
import { createLog } from './log.ts'
import { createPeople } from './people.ts'
import type { Ports } from './ports.ts'
import { createSend } from './send.ts'
import { createSweepUploads } from './sweep-uploads.ts'
import { createTyping } from './typing.ts'
import { createUploads } from './uploads.ts'

export type DomainOptions = {
  nextMessageId: () => MessageId
  randomId: () => string
  onDetachError: (error: unknown) => void
  /** Told of bytes that could not be removed with their message. */
  onMediaError?: (error: unknown) => void
  /** How many events may wait for a slow reader before it is sent to the log. */
  inboxLimit?: number
  /** How many conversations and people a node keeps in mind, of each. */
  cacheSize?: number
}

export type Domain = ReturnType<typeof createDomain>

const cacheSizeDefault = 50_000

/** Everything the system does, on whatever keeps the ports' promises. */
export function createDomain(ports: Ports, options: DomainOptions) {
  const { cacheSize = cacheSizeDefault } = options
  const access = createAccess(ports, cacheSize)
  const log = createLog(ports)
  const heads = createHeads(log, cacheSize)
  const beat = createBeat(ports)
  const deliver = createDeliver(ports)
  const append = createAppend({ ...ports, ...options, log, heads })
  const typing = createTyping(ports, cacheSize)
  const attachments = createAttachments({ ...ports, onMediaError: options.onMediaError ?? (() => undefined) })
  const changing = createChange({ ...ports, append, deliver, discard: attachments.discard })
  const acknowledge = createAcknowledge({ ...ports, log, heads })
  const attach = createAttach({ ...ports, ...options, beat })
  return {
    access,
    beat,
    ...createSend({ ...ports, access, append, deliver, acknowledge, attach: attachments.attach, onSent: typing.sent }),
    uploads: createUploads({ ...ports, ...options }),
    sweepUploads: createSweepUploads({ ...ports, isShown: attachments.isShown }),
    change: changing.change,
    ack: acknowledge.ack,
    markRead: acknowledge.markRead,
    ticksOf: acknowledge.ticksOf,
    follow: createFollow({ ...ports, log, heads, attach, acknowledge }),
    followChanges: createFollowChanges({ ...ports, log, heads, beat, messageOf: changing.messageOf }),
    followTicks: createFollowTicks({ ...ports, beat }),
    setTyping: typing.setTyping,
    followTyping: typing.followTyping,
    chats: createChats({ ...ports, access, log }),
    people: createPeople(ports, cacheSize),
    history: createHistory({ ...ports, log, heads }),
  }
}
