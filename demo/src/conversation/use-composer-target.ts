import type { MessageFieldsFragment, TimelineEntry } from '@parley/client'
import { useState } from 'react'
import { messageAt } from './message/quotes.ts'

/** The message that the composer replies to or edits. */
export type ComposerTarget =
  | { type: 'reply'; message: MessageFieldsFragment }
  | { type: 'edit'; message: MessageFieldsFragment; text: string }

/** Returns the target with its message as it is now. A deleted message is no target. */
export function useComposerTarget(
  entries: readonly TimelineEntry[],
): [ComposerTarget | undefined, (target: ComposerTarget | undefined) => void] {
  const [target, setTarget] = useState<ComposerTarget>()
  const message = target && (messageAt(entries, target.message.seq) ?? target.message)
  return [message && !message.deletedAt ? { ...target, message } : undefined, setTarget]
}
