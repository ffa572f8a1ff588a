import { Lookup } from '../parts/lookup.tsx'
import { Page } from '../parts/page.tsx'

export function Tasks() {
  return (
    <Page title="Tasks">
      <Lookup
        view="tasks"
        label="Task id"
        hint="Erasures and exports are tasks. Each is found by the id that was answered when it began."
        placeholder="task_…"
        recent="Begun or looked at in this tab"
      />
    </Page>
  )
}
