import {
  ConversationChangedDocument,
  type ConversationFieldsFragment,
  MessageAddedDocument,
  MessageChangedDocument,
  type PositionInput,
  TicksChangedDocument,
  type TicksChangedSubscription,
  TypingChangedDocument,
  type TypingChangedSubscription,
} from '../generated/graphql.ts'
import { createSleeper } from '../shared/backoff.ts'
import { asClientError, type ClientError } from '../shared/client-error.ts'
import type { Observable } from '../shared/observable.ts'
import type { Changes } from '../state/changes.ts'
import { type Conversations, lastMessageSeq } from '../state/conversations.ts'
import type { Inbox } from '../state/inbox.ts'
import type { Ticks } from '../state/ticks.ts'
import type { TypingState } from '../state/typing.ts'
import type { Session } from './connection.ts'
import type { Follow, Link } from './link.ts'

// What is done while there is a link.
//
// The stream of messages comes first, with this device's positions; the chat list is read beside it, for unread counts, for
// boundaries, and to see when everything the server had is here. Only a new device reads the list first: it begins where
// the user's other devices are, and must know where that is before anything is acked.
//
// A position may name a group the user has left while this device was away. The server then refuses the stream with NOT_FOUND and the
// place in the list, `after.3`; the one of changes, with positions in the same conversations, too.
//
//   the list shows some of our conversations     it is our server: that one is dropped, and both streams resume without it
//   it shows none                                another server, or an emptied one: everything is forgotten
//   both streams are refused                     whichever comes first counts; the other was stopped by then, or says the same
//   several were left                            one by one: each round drops the position that was refused
//   the list shows the refused one               the user is back in it: only its position is dropped, and its log is read anew
//   the user leaves after the stream was taken   it falls silent; whoever waits for it asks whether it is still there
//   the link goes in between                     nothing is dropped, and the next link begins with the same positions

/** Codes by which the server says that it has never seen our positions. */
const resetCodes: readonly string[] = ['NOT_FOUND', 'SEQ_OUT_OF_RANGE']
/** A stream that has not brought by then what the list shows may never do so. */
const verifyMembershipMs = 30_000
/** Before a stream that the server has ended alone. */
const resumeMs = 5000

/** What is to be done while there is a link, until the function it returns is called. No `follow`: streams are few, or there are none. */
export type LinkListener = (follow: Follow | undefined) => () => void

type SessionOptions = {
  userId: string
  pollEveryMs: number
  inbox: Inbox
  conversations: Conversations
  ticks: Ticks
  changes: Changes
  typing: TypingState
  /** Conversations whose stream is yet to bring what was sent. */
  awaited: () => Iterable<string>
  /** There is a way to the server again. */
  onLink: () => void
  /** A new device knows where it begins. What was read of a conversation before may end below that. */
  onBegin: () => void
  /** It is another server, or it was emptied: everything known is to be forgotten. */
  onStranger: () => void
}

export function createSession(options: SessionOptions) {
  const { userId, pollEveryMs, inbox, conversations, ticks, changes, typing, awaited, onLink, onBegin, onStranger } =
    options
  const sleeper = createSleeper()
  const listeners = new Map<LinkListener, () => void>()
  /** What listeners are told, while there is a link. */
  let current: [Follow | undefined] | undefined

  const session: Session = async (link, online, over) => {
    const told: [Follow | undefined] = [link.narrow ? undefined : link.follow]
    current = told
    for (const listener of listeners.keys()) listeners.set(listener, listener(...told))
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

  /** Now, if there is a link, and with each that comes. */
  function attach(listener: LinkListener): () => void {
    listeners.set(listener, current ? listener(...current) : () => undefined)
    return () => {
      if (current) listeners.get(listener)?.()
      listeners.delete(listener)
    }
  }

  async function listen(link: Link, follow: Follow, online: () => void, over: AbortSignal): Promise<ClientError> {
    for (;;) {
      if (inbox.isNew()) await readList()
      if (over.aborted) return asClientError('Over.')
      const error = await resume(link, follow, online, over)
      if (error) return error
    }
  }

  /** Resolves when it is over, or with nothing where it is to be done again with other positions. */
  async function resume(
    link: Link,
    follow: Follow,
    online: () => void,
    over: AbortSignal,
  ): Promise<ClientError | undefined> {
    const streams: (() => void)[] = []
    let isOver = false
    const after = inbox.positions()
    try {
      return await new Promise<ClientError | undefined>((resolve) => {
        const fail = (error: unknown) => resolve(asClientError(error))
        let isOurs = false
        const list = readList().then((found) => {
          // Before anything of it is read.
          isOurs = found.some(({ id }) => inbox.knows(id))
          return found
        })

        const refused = async ({ conversationId }: PositionInput, error: ClientError) => {
          const found = await list
          if (isOver || over.aborted) return
          isOver = true
          if (!isOurs) {
            onStranger()
            return resolve(error)
          }
          if (!found.some(({ id }) => id === conversationId)) conversations.drop(conversationId)
          inbox.forget(conversationId)
          changes.forget(conversationId)
          resolve(undefined)
        }

        /** Whether it was one of the positions. */
        const isRefused = (positions: PositionInput[], error: ClientError): boolean => {
          const [, index] = (error.code === 'NOT_FOUND' && /^after\.(\d+)/.exec(error.field ?? '')) || []
          const position = positions[Number(index)]
          if (position) refused(position, error).catch(fail)
          return position !== undefined
        }

        let stopChanges: () => void
        // Where the server ends this one alone, it is resumed alone: its positions wait.
        const followChanges = () => {
          const asked = changes.positions()
          stopChanges = follow(
            MessageChangedDocument,
            { after: asked },
            {
              event: ({ messageChanged }) => changes.hear(messageChanged),
              end(error) {
                if (isRefused(asked, error)) return
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
            { after },
            {
              event: ({ messageAdded }) => inbox.hear(messageAdded),
              end(error) {
                if (isRefused(after, error)) return
                if (resetCodes.includes(error.code)) onStranger()
                resolve(error)
              },
            },
          ),
        )
        followChanges()
        const named = new Set(after.map(({ conversationId }) => conversationId))
        const missing = new Set<string>()
        const verifyAll = () => new Set([...missing, ...awaited()]).forEach(conversations.verifyMembership)
        const verifying = setInterval(verifyAll, verifyMembershipMs)
        streams.push(
          () => stopChanges(),
          () => clearInterval(verifying),
          changes.follow(),
          ...(link.narrow ? [readAgainAndAgain(resolve)] : followTheRest(follow, resolve)),
        )
        catchUp(list, named, missing).then(() => isOver || online(), fail)
        over.addEventListener('abort', () => streams.forEach((stop) => void stop()))
      })
    } finally {
      isOver = true
      for (const stop of streams) stop()
    }
  }

  /** The list, boundaries and who is writing. */
  function followTheRest(follow: Follow, end: (error: ClientError) => void): (() => void)[] {
    const raise = ({ ticksChanged }: TicksChangedSubscription) => ticks.raise(ticksChanged)
    const ended = (conversationId: string, done: () => void) => (error: ClientError) => {
      done()
      if (error.code === 'NOT_FOUND') conversations.verifyMembership(conversationId)
    }
    return [
      follow(
        ConversationChangedDocument,
        {},
        { event: ({ conversationChanged }) => conversations.hear(conversationChanged), end },
      ),
      follow(TicksChangedDocument, {}, { event: raise, end }),
      // These begin with the boundaries as they are. Where one fails, the stream of all boundaries remains.
      followEach(ticks.watched.ids, (conversationId, done) =>
        follow(TicksChangedDocument, { conversationId }, { event: raise, end: ended(conversationId, done) }),
      ),
      followEach(typing.watched.ids, (conversationId, done) => {
        const event = ({ typingChanged }: TypingChangedSubscription) => typing.hear(conversationId, typingChanged)
        const stop = follow(TypingChangedDocument, { conversationId }, { event, end: ended(conversationId, done) })
        return () => {
          stop()
          typing.lost(conversationId)
        }
      }),
    ]
  }

  /** In place of a stream of boundaries: the list has them, too. */
  function readAgainAndAgain(end: (error: ClientError) => void): () => void {
    const timer = setInterval(() => void readList().catch((error) => end(asClientError(error))), pollEveryMs)
    return () => clearInterval(timer)
  }

  /** Resolves when everything the list shows is here. The stream brings what it was asked for; the rest is read. */
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

  /** What is not the user's any more by the time it is read is asked for elsewhere, and dropped. */
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
      if (!over.aborted) await sleeper.sleep(pollEveryMs)
      if (over.aborted) return asClientError('Over.')
    }
  }

  /** A new device reads the whole list; any other the head of it, and on while there is something it does not know. */
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

  return { session, poll: sleeper.wake, attach }
}

/** A stream for each conversation somebody looks at. Where one ends by itself there is none until somebody looks anew. */
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
