import { createSleeper } from './backoff.ts'
import type { Changes } from './changes.ts'
import { asClientError, type ClientError } from './client-error.ts'
import type { Session } from './connection.ts'
import type { Conversations } from './conversations.ts'
import {
  type ConversationFieldsFragment,
  MessageAddedDocument,
  MessageChangedDocument,
  TicksChangedDocument,
  type TicksChangedSubscription,
  TypingChangedDocument,
  type TypingChangedSubscription,
} from './generated/graphql.ts'
import type { Inbox } from './inbox.ts'
import type { Follow, Link } from './link/link.ts'
import type { Observable } from './observable.ts'
import type { Ticks } from './ticks.ts'
import type { TypingState } from './typing.ts'

// What is done while there is a link.
//
// The stream of messages comes first, with this device's positions; the chat list is read beside it, for unread counts, for
// boundaries, and to see when everything the server had is here. Only a new device reads the list first: it begins where
// the user's other devices are, and must know where that is before anything is acked.

/** Codes by which the server says that it has never seen our positions. */
const strange: readonly string[] = ['NOT_FOUND', 'SEQ_OUT_OF_RANGE']

export type SessionOptions = {
  userId: string
  pollEveryMs: number
  inbox: Inbox
  conversations: Conversations
  ticks: Ticks
  changes: Changes
  typing: TypingState
  /** There is a way to the server again. */
  onLink: () => void
  /** It is another server, or it was emptied: everything known is to be forgotten. */
  onStranger: () => void
}

export function createSession(options: SessionOptions): { session: Session; poll: () => void } {
  const { userId, pollEveryMs, inbox, conversations, ticks, changes, typing, onLink, onStranger } = options
  const sleeper = createSleeper()

  const session: Session = async (link, online, over) => {
    onLink()
    try {
      return await (link.follow ? listen(link, link.follow, online, over) : poll(online, over))
    } catch (error) {
      return asClientError(error)
    }
  }

  async function listen(link: Link, follow: Follow, online: () => void, over: AbortSignal): Promise<ClientError> {
    if (inbox.isNew()) await readList()
    if (over.aborted) return asClientError('Over.')
    const named = new Set(inbox.positions().map((each) => each.conversationId))
    const streams: (() => void)[] = []
    try {
      return await new Promise<ClientError>((resolve) => {
        streams.push(
          follow(
            MessageAddedDocument,
            { after: inbox.positions() },
            {
              event: ({ messageAdded }) => inbox.hear(messageAdded),
              end(error) {
                if (strange.includes(error.code)) onStranger()
                resolve(error)
              },
            },
          ),
          follow(
            MessageChangedDocument,
            { after: changes.positions() },
            { event: ({ messageChanged }) => changes.hear(messageChanged), end: resolve },
          ),
          changes.follow(),
          ...(link.narrow ? [readAgainAndAgain(resolve)] : followTheRest(follow, resolve)),
        )
        catchUp(named).then(online, (error) => resolve(asClientError(error)))
        over.addEventListener('abort', () => streams.forEach((stop) => void stop()))
      })
    } finally {
      for (const stop of streams) stop()
    }
  }

  /** Boundaries and who is writing. */
  function followTheRest(follow: Follow, end: (error: ClientError) => void): (() => void)[] {
    const raise = ({ ticksChanged }: TicksChangedSubscription) => ticks.raise(ticksChanged)
    return [
      follow(TicksChangedDocument, {}, { event: raise, end }),
      // These begin with the boundaries as they are. Where one fails, the stream of all boundaries remains.
      followEach(ticks.watched.ids, (conversationId, ended) =>
        follow(TicksChangedDocument, { conversationId }, { event: raise, end: ended }),
      ),
      followEach(typing.watched.ids, (conversationId, ended) => {
        const event = ({ typingChanged }: TypingChangedSubscription) => typing.hear(conversationId, typingChanged)
        const stop = follow(TypingChangedDocument, { conversationId }, { event, end: ended })
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
  async function catchUp(named: ReadonlySet<string>): Promise<void> {
    await Promise.all(
      (await readList()).map(async ({ id, lastMessage }) => {
        const seq = lastMessage?.seq ?? 0
        if (named.has(id)) await inbox.reached(id, seq)
        else if (seq > inbox.positionOf(id)) await inbox.fill(id)
      }),
    )
  }

  async function poll(online: () => void, over: AbortSignal): Promise<ClientError> {
    over.addEventListener('abort', sleeper.wake)
    for (;;) {
      const list = await readList()
      await Promise.all(
        list.map(async ({ id, lastMessage }) => {
          if ((lastMessage?.seq ?? 0) > inbox.positionOf(id)) await inbox.fill(id)
        }),
      )
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
    return list
  }

  return { session, poll: sleeper.wake }
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
