import { WindowIcon } from '../parts/icons.tsx'
import { Logo } from '../parts/logo.tsx'
import { PlaceLink } from '../parts/place-link.tsx'
import { SecondWindow } from '../parts/second-window.tsx'
import { nameOf } from '../people.ts'
import { elsewhere, type SignedIn } from '../place.ts'
import styles from './no-chat.module.css'

/** Nothing is chosen yet: the shortest way to two people talking. */
export function NoChat({ place }: { place: SignedIn }) {
  const other = place.as === 'bob' ? 'alice' : 'bob'
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
        <PlaceLink className="button" place={elsewhere(place, { with: other })}>
          Write to {name}
        </PlaceLink>
        <SecondWindow className="quiet-button" as={{ id: other }} with={place.as}>
          <WindowIcon size={18} /> Open a second window as {name}
        </SecondWindow>
      </div>
    </section>
  )
}
