import { usePresence } from '../../../src/client/react/hooks.tsx'
import { useToday } from '../parts/use-today.ts'
import { presenceWords } from './presence-words.ts'

/** Their id where nobody knows how they are. */
export function PresenceLine({ userId }: { userId: string }) {
  const words = presenceWords(usePresence(userId), useToday())
  return <p>{words ?? `@${userId}`}</p>
}
