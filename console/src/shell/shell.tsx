import { Logo } from '../../../demo/src/parts/logo.tsx'
import { shortTime } from '../../../demo/src/parts/times.ts'
import { useToday } from '../../../demo/src/parts/use-today.ts'
import { ConversationPage } from '../conversations/conversation-page.tsx'
import { Conversations } from '../conversations/conversations.tsx'
import { Events } from '../events/events.tsx'
import { NoticeProvider } from '../parts/notice.tsx'
import { Reports } from '../reports/reports.tsx'
import { hrefOf, type Route, type View, views } from '../route.ts'
import { useSignedIn } from '../session/session-provider.tsx'
import { TaskPage } from '../tasks/task-page.tsx'
import { Tasks } from '../tasks/tasks.tsx'
import { useRoute } from '../use-route.ts'
import { UserPage } from '../users/user-page.tsx'
import { Users } from '../users/users.tsx'
import { WebhookPage } from '../webhooks/webhook-page.tsx'
import { Webhooks } from '../webhooks/webhooks.tsx'
import styles from './shell.module.css'
import { viewIcons, viewNames } from './view-names.tsx'

/** The list of views beside the one that is shown. */
export function Shell() {
  const route = useRoute()
  return (
    <div className={styles.shell}>
      <header className={styles.side}>
        <p className={styles.brand}>
          <Logo size={26} /> Parley console
        </p>
        <nav aria-label="Views">
          <ul>
            {views.map((view) => (
              <li key={view}>
                <ViewLink view={view} chosen={view === route.view} />
              </li>
            ))}
          </ul>
        </nav>
        <SignedIn />
      </header>
      <NoticeProvider key={`${route.view} ${route.id ?? ''}`}>
        <Shown {...route} />
      </NoticeProvider>
    </div>
  )
}

function ViewLink({ view, chosen }: { view: View; chosen: boolean }) {
  const Icon = viewIcons[view]
  return (
    <a href={hrefOf({ view })} aria-current={chosen ? 'page' : undefined}>
      <Icon size={20} /> {viewNames[view]}
    </a>
  )
}

function SignedIn() {
  const { token, signOut } = useSignedIn()
  const today = useToday()
  return (
    <div className={styles.session}>
      <p>
        <b>{token.service}</b>
        {token.expiresAtMs !== undefined && <span> until {shortTime(token.expiresAtMs, today)}</span>}
      </p>
      <button type="button" className="quiet-button" onClick={signOut}>
        Sign out
      </button>
    </div>
  )
}

function Shown({ view, id, at = {} }: Route) {
  switch (view) {
    case 'users':
      return id === undefined ? <Users /> : <UserPage id={id} />
    case 'conversations':
      return id === undefined ? <Conversations /> : <ConversationPage id={id} at={at} />
    case 'reports':
      return <Reports state={at.state} />
    case 'webhooks':
      return id === undefined ? <Webhooks /> : <WebhookPage id={id} />
    case 'events':
      return <Events />
    case 'tasks':
      return id === undefined ? <Tasks /> : <TaskPage id={id} />
  }
}
