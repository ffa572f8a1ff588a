import type { Message } from '../ports/log.ts'
import type { Ports } from '../ports/ports.ts'
import type { MessageAddress, Seq } from '../protocol/ids.ts'
import { seqMax } from '../protocol/limits.ts'
import type { Member } from './access.ts'
import type { Heads } from './heads.ts'
import { isMessage, type Log } from './log.ts'

/** A stretch of history. Bounds are exclusive; `from` says at which end of them to begin. */
export type PageRequest = { count: number; from: 'newest' | 'oldest'; olderThan?: Seq; newerThan?: Seq }

/** Newest first. */
export type Page = { messages: Message[]; moreNewer: boolean; moreOlder: boolean }

export function createHistory({ messages, log, heads }: Pick<Ports, 'messages'> & { log: Log; heads: Heads }) {
  /** One message, in one read. */
  async function message({ conversation, joinedSeq }: Member, seq: Seq): Promise<Message | undefined> {
    if (seq <= joinedSeq) return undefined
    const row = await messages.get({ conversationId: conversation.id, seq })
    return row && isMessage(row) ? row : undefined
  }

  /** In the order asked for, in one batch. The caller has checked the conversations. */
  async function messagesAt(addresses: readonly MessageAddress[]): Promise<(Message | undefined)[]> {
    const rows = await messages.getMany(addresses)
    return addresses.map(({ conversationId, seq }) =>
      rows.filter(isMessage).find((row) => row.conversationId === conversationId && row.seq === seq),
    )
  }

  /** One query, and another only where voids took the place of messages. */
  async function page({ conversation, joinedSeq }: Member, asked: PageRequest): Promise<Page> {
    const request =
      asked.newerThan !== undefined && asked.newerThan > joinedSeq ? asked : { ...asked, newerThan: undefined }
    const { count, from, olderThan = seqMax + 1, newerThan = joinedSeq } = request
    const wanted = count + 1
    const found: Message[] = []
    let edge = from === 'newest' ? olderThan : newerThan
    while (found.length < wanted) {
      const rows =
        from === 'newest'
          ? await log.below(conversation.id, edge, wanted)
          : await log.above(conversation.id, edge, wanted)
      const inside = rows.filter((row) => row.seq > newerThan && row.seq < olderThan)
      found.push(...inside.filter(isMessage))
      const last = rows.at(-1)
      if (!last || rows.length < wanted || inside.length < rows.length) break
      edge = last.seq
    }
    const shown = found.slice(0, count)
    const more = found.length > count
    const newest = from === 'newest' ? shown[0] : shown.at(-1)
    if (newest) heads.saw(conversation.id, newest.seq)
    return from === 'newest'
      ? {
          messages: shown,
          moreNewer: request.olderThan !== undefined,
          moreOlder: more || request.newerThan !== undefined,
        }
      : {
          messages: shown.reverse(),
          moreNewer: more || request.olderThan !== undefined,
          moreOlder: request.newerThan !== undefined,
        }
  }

  return { message, messages: messagesAt, page }
}
