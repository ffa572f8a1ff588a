import type { Chat } from './chat.ts'
import { ReportMessageDocument, type ReportReason, ReportUserDocument } from './generated/graphql.ts'

// Applications import this as `@parley/client/reports`. A report goes to those who look after the app, and nobody else is told. Every call is
// repeated until it is answered, and the server knows a repeated one. It rejects if the server refuses it for good.

export type { ReportReason }
export type ReportWords = { reason: ReportReason; comment?: string }

/** The reasons, in the order in which apps show them. */
export const reportReasons: readonly ReportReason[] = [
  'SPAM',
  'HARASSMENT',
  'HATE',
  'VIOLENCE',
  'SEXUAL',
  'SELF_HARM',
  'ILLEGAL',
  'OTHER',
]

/** Reports a message as the server has it. Resolves with the id of the report. */
export const reportMessage = (
  chat: Chat,
  { conversationId, seq }: { conversationId: string; seq: number },
  words: ReportWords,
): Promise<string> =>
  chat.insist(async () => {
    const input = { ...words, conversationId, seq }
    return (await chat.ask(ReportMessageDocument, { input })).reportMessage.reportId
  })

/** Reports a person. Resolves with the id of the report. */
export const reportUser = (chat: Chat, userId: string, words: ReportWords): Promise<string> =>
  chat.insist(async () => (await chat.ask(ReportUserDocument, { input: { ...words, userId } })).reportUser.reportId)
