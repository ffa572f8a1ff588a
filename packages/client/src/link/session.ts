import {
  type ConversationFieldsFragment,
  ConversationUpdatedDocument,
  MessageAddedDocument,
  MessageChangedDocument,
  type PositionInput,
  TicksChangedDocument,
  type TicksChangedSubscription,
  TypingChangedDocument,
  type TypingChangedSubscription,
} from '../generated/graphql.ts'
import { createSleeper } from '../shared/backoff.ts'
import { asClientError, ClientError } from '../shared/client-error.ts'
import type { Observable } from '../shared/observable.ts'
import type { Changes } from '../state/changes.ts'
import { type Conversations, lastMessageSeq } from '../state/conversations.ts'
import type { Inbox } from '../state/inbox.ts'
import type { Ticks } from '../state/ticks.ts'
import type { TypingState } from '../state/typing.ts'
import type { Session } from './connection.ts'
import type { Follow, Link } from './link.ts'

// A session uses one link.
//
// The stream of messages comes first, with this device's positions; the chat list is read beside it, for unread counts, for
// boundaries, and to see when everything the server had is here. Only a new device reads the list first: it begins where
// the user's other devices are, and must know where that is before it acks anything.
//
// A position may name a group that the user left while this device was away. The server ignores such a position, so the stream says nothing
// of it. Groups among the positions that the list does not show are therefore asked for, a hundred in one request.
//
//   the list shows some of our conversations     it is our server: the groups that are not there any more are dropped, and nothing else
//   it shows none, and none is there             another server, or an emptied one: everything is forgotten
//   it shows none, and some are there            it is our server: as above
//   the user is back in the group                it is there: the stream brings what came since, and the inbox reads what is missing
//   the user leaves after the list was read      the stream falls silent; after a while the client asks whether the user is still in it
//   the link goes in between                     nothing is dropped, and the next link begins with the same positions

/** The code by which the server says that it has never had as much as our positions say. */
const resetCode = 'SEQ_OUT_OF_RANGE'
const groupPrefix = 'grp_'
/** If a stream has not brought what the list shows by then, it may never do so. */
const verifyMembershipMs = 30_000
/** The pause before the stream of changes is resumed, if the server ended it alone. */
const resumeMs = 5000

/** Is called with each link, and returns a function that ends its work. `follow` is absent if the link has few streams or none. */
export type LinkListener = (follow: Follow | undefined) => () => void

type SessionOptions = {
  userId: string
  /** Whether the stream of messages brings notices. */
  notices?: boolean
  pollEveryMs: number
  inbox: Inbox
  conversations: Conversations
  ticks: Ticks
  changes: Changes
  typing: TypingState
  /** Called now and then: the streams may never bring what was sent. */
  verifySent: () => void
  /** Called when there is a link again. */
  onLink: () => void
  /** Called when a new device knows where it begins. Pages that were read before may end below that. */
  onBegin: () => void
  /** Called when the server is another one, or was emptied. Everything that is known must be forgotten. */
  onUnknownServer: () => void
}

export function createSession(options: SessionOptions) {
  const {
    userId,
    notices,
    pollEveryMs,
    inbox,
    conversations,
    ticks,
    changes,
    typing,
    verifySent,
    onLink,
    onBegin,
    onUnknownServer,
  } = options
  const sleeper = createSleeper()
  const listeners = new Map<LinkListener, () => void>()
  /** The link that listeners were called with. */
  let current: { follow: Follow | undefined } | undefined

  const session: Session = async (link, online, over) => {
    const follow = link.fewStreams ? undefined : link.follow
    current = { follow }
    for (const listener of listeners.keys()) listeners.set(listener, listener(follow))
    over.addEventListener('abort', () => {
      current = undefined
      for (const stop of listeners.values()) stop()
    })
    onLink()
    try {
      return await (link.follow ? listen(link, link.follow, online, over) : poll(online, over))
    } catch (error) {
      return asClientError(error)
    }
  }

  /** Calls the listener now if there is a link, and again with each new link. */
  function addLinkListener(listener: LinkListener): () => void {
    listeners.set(listener, current ? listener(current.follow) : () => undefined)
    return () => {
      if (current) listeners.get(listener)?.()
      listeners.delete(listener)
    }
  }

  /** Resolves with the reason of its end. */
  async function listen(link: Link, follow: Follow, online: () => void, over: AbortSignal): Promise<ClientError> {
    if (inbox.isNew()) await readList()
    if (over.aborted) return asClientError('Over.')
    const streams: (() => void)[] = []
    let isOver = false
    const after = inbox.positions()
    try {
      return await new Promise<ClientError>((resolve) => {
        const fail = (error: unknown) => resolve(asClientError(error))
        let isOurs = false
        const list = readList().then((found) => {
          // This is decided before any conversation of the list is read.
          isOurs = found.some(({ id }) => inbox.knows(id))
          return found
        })

        list
          .then((found) => dropLeft(after, found, isOurs, () => isOver || over.aborted))
          .then((isUnknown) => {
            if (!isUnknown) return
            onUnknownServer()
            resolve(new ClientError('Another server.', { code: 'NOT_FOUND', retryable: false }))
          })
          .catch(fail)

        let stopChanges: () => void
        // If the server ends this stream alone, it alone is resumed, at its own positions.
        const followChanges = () => {
          stopChanges = follow(
            MessageChangedDocument,
            { after: changes.positions() },
            {
              event: ({ messageChanged }) => changes.handleEvent(messageChanged),
              end(error) {
                if (error.code === 'NETWORK' || error.code === 'UNAUTHENTICATED') return resolve(error)
                const timer = setTimeout(followChanges, resumeMs)
                stopChanges = () => clearTimeout(timer)
              },
            },
          )
        }

        streams.push(
          follow(
            MessageAddedDocument,
            { after, ...(notices && { notices }) },
            {
              event: ({ messageAdded }) => inbox.handleEvent(messageAdded),
              end(error) {
                if (error.code === resetCode) onUnknownServer()
                resolve(error)
              },
            },
          ),
        )
        followChanges()
        const named = new Set(after.map(({ conversationId }) => conversationId))
        const missing = new Set<string>()
        const verifyAll = () => {
          missing.forEach(conversations.verifyMembership)
          verifySent()
        }
        const verifying = setInterval(verifyAll, verifyMembershipMs)
        streams.push(
          () => stopChanges(),
          () => clearInterval(verifying),
          changes.follow(),
          ...(link.fewStreams ? [pollList(resolve)] : followTheRest(follow, resolve)),
        )
        const caughtUp = () => {
          if (isOver) return
          online()
          verifySent()
        }
        catchUp(list, named, missing).then(caughtUp, fail)
        over.addEventListener('abort', () => streams.forEach((stop) => void stop()))
      })
    } finally {
      isOver = true
      for (const stop of streams) stop()
    }
  }

  /** Drops the groups among these positions that the user has left. Returns whether this server knows none of our conversations. */
  async function dropLeft(
    after: readonly PositionInput[],
    found: readonly ConversationFieldsFragment[],
    isOurs: boolean,
    isOver: () => boolean,
  ): Promise<boolean> {
    const listed = new Set(found.map(({ id }) => id))
    const ids = after.map(({ conversationId }) => conversationId).filter((id) => !listed.has(id))
    // A direct chat cannot be left: it is asked for only to know the server by it.
    const asked = isOurs ? ids.filter((id) => id.startsWith(groupPrefix)) : ids
    if (asked.length === 0) return false
    const there = await conversations.stillThere(asked)
    if (isOver()) return false
    if (!isOurs && there.size === 0) return true
    const left = asked.filter((id) => id.startsWith(groupPrefix) && !there.has(id) && inbox.knows(id))
    left.forEach(conversations.drop)
    return false
  }

  /** Follows the chat list, the boundaries and who is typing. */
  function followTheRest(follow: Follow, end: (error: ClientError) => void): (() => void)[] {
    const raise = ({ ticksChanged }: TicksChangedSubscription) => ticks.raise(ticksChanged)
    const ended = (conversationId: string, done: () => void) => (error: ClientError) => {
      done()
      if (error.code === 'NOT_FOUND') conversations.verifyMembership(conversationId)
    }
    return [
      follow(
        ConversationUpdatedDocument,
        {},
        { event: ({ conversationUpdated }) => conversations.handleEvent(conversationUpdated), end },
      ),
      follow(TicksChangedDocument, {}, { event: raise, end }),
      // Each of these streams begins with the current boundaries. If one fails, the stream of all boundaries remains.
      followEach(ticks.watched.ids, (conversationId, done) =>
        follow(TicksChangedDocument, { conversationId }, { event: raise, end: ended(conversationId, done) }),
      ),
      followEach(typing.watched.ids, (conversationId, done) => {
        const event = ({ typingChanged }: TypingChangedSubscription) =>
          typing.handleEvent(conversationId, typingChanged)
        const stop = follow(TypingChangedDocument, { conversationId }, { event, end: ended(conversationId, done) })
        return () => {
          stop()
          typing.lost(conversationId)
        }
      }),
    ]
  }

  /** Replaces the stream of boundaries: the list has them too. */
  function pollList(end: (error: ClientError) => void): () => void {
    const timer = setInterval(() => void readList().catch((error) => end(asClientError(error))), pollEveryMs)
    return () => clearInterval(timer)
  }

  /** Resolves when everything the list shows is here. The stream brings the conversations it was asked for; the others are read. */
  async function catchUp(
    list: Promise<ConversationFieldsFragment[]>,
    named: ReadonlySet<string>,
    missing: Set<string>,
  ): Promise<void> {
    await Promise.all(
      (await list).map(async (conversation) => {
        const { id } = conversation
        if (!named.has(id)) return fillUp(conversation)
        missing.add(id)
        await inbox.reached(id, lastMessageSeq(conversation))
        missing.delete(id)
      }),
    )
  }

  /** NOT_FOUND is ignored here: `ask` verifies the membership, and drops the conversation if the user has left it. */
  async function fillUp(conversation: ConversationFieldsFragment): Promise<void> {
    if (lastMessageSeq(conversation) <= inbox.positionOf(conversation.id)) return
    await inbox.fill(conversation.id).catch((error) => {
      if (asClientError(error).code !== 'NOT_FOUND') throw error
    })
  }

  async function poll(online: () => void, over: AbortSignal): Promise<ClientError> {
    over.addEventListener('abort', sleeper.wake)
    for (;;) {
      await Promise.all((await readList()).map(fillUp))
      online()
      verifySent()
      if (!over.aborted) await sleeper.sleep(pollEveryMs)
      if (over.aborted) return asClientError('Over.')
    }
  }

  /** A new device reads the whole list. Other devices read the first page, and go on while a page has unknown conversations. */
  async function readList(): Promise<ConversationFieldsFragment[]> {
    if (!inbox.isNew()) return conversations.refresh((page) => page.some(({ id }) => !inbox.knows(id)))
    const list = await conversations.refresh(() => true)
    inbox.begin(
      list.map((conversation) => {
        const mine = conversation.ticks.find((each) => each.userId === userId)
        return { conversationId: conversation.id, seq: mine?.lastDeliveredSeq ?? 0 }
      }),
    )
    onBegin()
    return list
  }

  return { session, poll: sleeper.wake, addLinkListener }
}

/** Follows a stream for each watched conversation. One that ends by itself is reopened when its conversation is watched again. */
function followEach(
  watched: Observable<readonly string[]>,
  open: (id: string, end: () => void) => () => void,
): () => void {
  const streams = new Map<string, () => void>()
  const adjust = () => {
    const wanted = new Set(watched.get())
    for (const [id, stop] of streams) {
      if (wanted.has(id)) continue
      stop()
      streams.delete(id)
    }
    for (const id of wanted)
      if (!streams.has(id))
        streams.set(
          id,
          open(id, () => void streams.delete(id)),
        )
  }
  adjust()
  const stopAdjusting = watched.subscribe(adjust)
  return () => {
    stopAdjusting()
    for (const stop of streams.values()) stop()
    streams.clear()
  }
}
