import { Lookup } from '../parts/lookup.tsx'
import { Page } from '../parts/page.tsx'

export function Users() {
  return (
    <Page title="Users">
      <Lookup
        view="users"
        label="User id"
        hint="The sub of the user’s tokens. Users are found by their id alone."
        placeholder="grace-hopper"
        recent="Looked at in this tab"
      />
    </Page>
  )
}
