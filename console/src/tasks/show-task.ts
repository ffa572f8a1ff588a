import { remember } from '../session/tab-storage.ts'
import { navigate } from '../use-route.ts'
import { kindWords } from './kind-words.ts'

/** Goes to a task that was just begun. Tasks are found by their id alone, so this tab remembers it, and whom or what it is about. */
export function showTask({ id, kind }: { id: string; kind: string }, of: string): void {
  remember('tasks', id, `${kindWords(kind)} of ${of}`)
  navigate({ view: 'tasks', id })
}
