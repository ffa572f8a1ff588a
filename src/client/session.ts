import { createSleeper } from './backoff.ts'
import { asClientError, type ClientError } from './client-error.ts'
import type { Session } from './connection.ts'
import type { Conversations } from './conversations.ts'
import { type ConversationFieldsFragment, MessageAddedDocument, TicksChangedDocument } from './generated/graphql.ts'
import type { Inbox } from './inbox.ts'
import type { Follow } from './link/link.ts'
import type { Ticks } from './ticks.ts'

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
  /** There is a way to the server again. */
  onLink: () => void
  /** It is another server, or it was emptied: everything known is to be forgotten. */
  onStranger: () => void
}

export function createSession(options: SessionOptions): { session: Session; poll: () => void } {
  const { userId, pollEveryMs, inbox, conversations, ticks, onLink, onStranger } = options
  const sleeper = createSleeper()

  const session: Session = async (link, online, over) => {
    onLink()
    try {
      return await (link.follow ? listen(link.follow, online, over) : poll(online, over))
    } catch (error) {
      return asClientError(error)
    }
  }

  async function listen(follow: Follow, online: () => void, over: AbortSignal): Promise<ClientError> {
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
          follow(TicksChangedDocument, {}, { event: ({ ticksChanged }) => ticks.raise(ticksChanged), end: resolve }),
          watchTicks(follow),
        )
        catchUp(named).then(online, (error) => resolve(asClientError(error)))
        over.addEventListener('abort', () => streams.forEach((stop) => void stop()))
      })
    } finally {
      for (const stop of streams) stop()
    }
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

  /** A stream for each conversation somebody looks at: it begins with the boundaries as they are. */
  function watchTicks(follow: Follow): () => void {
    const streams = new Map<string, () => void>()
    const adjust = () => {
      const wanted = new Set(ticks.watched.get())
      for (const [id, stop] of streams) {
        if (wanted.has(id)) continue
        stop()
        streams.delete(id)
      }
      for (const conversationId of wanted) {
        if (streams.has(conversationId)) continue
        const event = ({ ticksChanged }: { ticksChanged: Parameters<Ticks['raise']>[0] }) => ticks.raise(ticksChanged)
        // Without it, the stream of all boundaries remains.
        const end = () => void streams.delete(conversationId)
        streams.set(conversationId, follow(TicksChangedDocument, { conversationId }, { event, end }))
      }
    }
    adjust()
    const stopAdjusting = ticks.watched.subscribe(adjust)
    return () => {
      stopAdjusting()
      for (const stop of streams.values()) stop()
      streams.clear()
    }
  }

  return { session, poll: sleeper.wake }
}
