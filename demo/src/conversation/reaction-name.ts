import type { MessageFieldsFragment } from '../../../src/client/generated/graphql.ts'

export type Reaction = MessageFieldsFragment['reactions'][number]

/** One touch away; the server takes any emoji. */
export const quickReactions = ['👍', '❤️', '😂', '😮', '😢', '🙏'] as const

export const reactionName = ({ emoji, count, viewerReacted }: Reaction): string =>
  `${emoji} ${count}${viewerReacted ? ', you reacted' : ''}`

export const hasReacted = (reactions: readonly Reaction[], emoji: string): boolean =>
  reactions.some((reaction) => reaction.emoji === emoji && reaction.viewerReacted)
