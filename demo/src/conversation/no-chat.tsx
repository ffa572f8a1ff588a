import { WindowIcon } from '../parts/icons.tsx'
import { Logo } from '../parts/logo.tsx'
import { RouteLink } from '../parts/route-link.tsx'
import { SecondWindow } from '../parts/second-window.tsx'
import { nameOf } from '../people.ts'
import { routeTo, type SignedIn } from '../route.ts'
import styles from './no-chat.module.css'

/** Is shown while no chat is chosen. It offers the shortest way to two people talking. */
export function NoChat({ route }: { route: SignedIn }) {
  const other = route.as === 'bob' ? 'alice' : 'bob'
  const name = nameOf({ id: other })
  return (
    <section className={styles.empty} aria-labelledby="empty">
      <div className={styles.mark}>
        <Logo size={72} />
      </div>
      <h2 id="empty">It takes two</h2>
      <p>
        Open a second window as {name}, put it beside this one and write. You see the ticks turn as {name} gets your
        message, and turn blue as {name} reads it.
      </p>
      <div className={styles.ways}>
        <RouteLink className="button" route={routeTo(route, { with: other })}>
          Write to {name}
        </RouteLink>
        <SecondWindow className="quiet-button" as={{ id: other }} with={route.as}>
          <WindowIcon size={18} /> Open a second window as {name}
        </SecondWindow>
      </div>
    </section>
  )
}
