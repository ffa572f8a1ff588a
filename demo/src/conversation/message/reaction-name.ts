import type { MessageFieldsFragment } from '@parley/client'

export type Reaction = MessageFieldsFragment['reactions'][number]

/** The menu offers these reactions. The server accepts any emoji. */
export const quickReactions = ['👍', '❤️', '😂', '😮', '😢', '🙏'] as const

export const reactionName = ({ emoji, count, viewerReacted }: Reaction): string =>
  `${emoji} ${count}${viewerReacted ? ', you reacted' : ''}`

export const hasReacted = (reactions: readonly Reaction[], emoji: string): boolean =>
  reactions.some((reaction) => reaction.emoji === emoji && reaction.viewerReacted)
