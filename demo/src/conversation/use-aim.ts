import { useState } from 'react'
import type { MessageFieldsFragment } from '../../../src/client/generated/graphql.ts'
import type { TimelineEntry } from '../../../src/client/index.ts'
import { messageAt } from './quotes.ts'

/** What the composer is about, when it is not just the next message. */
export type Aim =
  | { type: 'reply'; message: MessageFieldsFragment }
  | { type: 'edit'; message: MessageFieldsFragment; text: string }

/** The message as it is now; a deleted one is nothing to aim at. */
export function useAim(entries: readonly TimelineEntry[]): [Aim | undefined, (aim: Aim | undefined) => void] {
  const [aim, setAim] = useState<Aim>()
  const message = aim && (messageAt(entries, aim.message.seq) ?? aim.message)
  return [message && !message.deletedAt ? { ...aim, message } : undefined, setAim]
}
