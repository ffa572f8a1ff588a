import { Lookup } from '../parts/lookup.tsx'
import { Page } from '../parts/page.tsx'

export function Conversations() {
  return (
    <Page title="Conversations">
      <Lookup
        view="conversations"
        label="Conversation id"
        hint="It begins with dm_ or grp_. Those of a user stand on the user’s page."
        placeholder="grp_…"
        recent="Looked at in this tab"
      />
    </Page>
  )
}
