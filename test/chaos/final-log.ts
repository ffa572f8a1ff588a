import type { History, MessageSeen } from './history.ts'

/** What the conversations hold in the end, for questions about what was seen on the way. */
export type FinalLog = ReturnType<typeof createFinalLog>

export function createFinalLog({ walks }: History) {
  const logs = new Map<string, MessageSeen[]>()
  for (const { conversationId, messages } of walks) if (!logs.has(conversationId)) logs.set(conversationId, messages)
  const bySeq = new Map(
    [...logs].map(([id, messages]) => [id, new Map(messages.map((message) => [message.seq, message]))]),
  )

  const of = (conversationId: string): readonly MessageSeen[] => logs.get(conversationId) ?? []

  /** How many messages have a seq up to this one. */
  function countTo(conversationId: string, seq: number): number {
    const messages = of(conversationId)
    let low = 0
    let high = messages.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((messages[middle]?.seq ?? 0) <= seq) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    conversationIds: [...logs.keys()],
    of,
    at: (conversationId: string, seq: number): MessageSeen | undefined => bySeq.get(conversationId)?.get(seq),
    lastSeq: (conversationId: string): number => of(conversationId).at(-1)?.seq ?? 0,
    /** The seq of the message before this one; 0 if there is none. */
    before: (conversationId: string, seq: number): number =>
      of(conversationId)[countTo(conversationId, seq - 1) - 1]?.seq ?? 0,
    /** The seqs of the messages strictly between the two. */
    between: (conversationId: string, above: number, below: number): number[] =>
      of(conversationId)
        .slice(countTo(conversationId, above), Math.max(0, countTo(conversationId, below - 1)))
        .map(({ seq }) => seq),
  }
}
