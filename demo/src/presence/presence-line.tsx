import { usePresence } from '@parley/client/react'
import { useToday } from '../parts/use-today.ts'
import { presenceWords } from './presence-words.ts'

/** Shows the presence of a user, or their id while it is unknown. */
export function PresenceLine({ userId }: { userId: string }) {
  const words = presenceWords(usePresence(userId), useToday())
  return <p>{words ?? `@${userId}`}</p>
}
