import { remember } from '../session/tab-storage.ts'
import { navigate } from '../use-route.ts'

/** Goes to a task that was just begun. Tasks are found by their id alone, so this tab remembers it. */
export function showTask({ id }: { id: string }): void {
  remember('tasks', id)
  navigate({ view: 'tasks', id })
}
