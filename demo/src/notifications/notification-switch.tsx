import { useId } from 'react'
import type { PushState } from '../../../src/client/push.ts'
import type { SignedIn } from '../place.ts'
import styles from './notification-switch.module.css'
import { useBanners } from './use-banners.ts'
import { usePush } from './use-push.ts'

const notes: Partial<Record<PushState, string>> = {
  unsupported: 'This browser cannot show notifications on this page.',
  unavailable: 'This server does not send notifications.',
  denied: 'Your browser blocks them. Allow notifications in its settings for this page, left of the address.',
}

/** Banners from this browser while no window of Parley is open. */
export function NotificationSwitch({ place }: { place: SignedIn }) {
  const { serviceWorker, state, wanted, problem, change } = usePush()
  useBanners(place, serviceWorker)
  const noteId = useId()
  const on = wanted ?? state === 'on'
  const possible = state === 'on' || state === 'off'
  return (
    <>
      <button
        type="button"
        role="switch"
        className={`quiet-button ${styles.switch}`}
        aria-checked={on}
        aria-disabled={!possible}
        aria-busy={wanted !== undefined}
        aria-describedby={noteId}
        onClick={() => possible && wanted === undefined && change(!on)}
      >
        Notifications <span className={styles.track} aria-hidden="true" />
      </button>
      <p id={noteId} className={styles.note} aria-live="polite">
        {(state && notes[state]) ?? (!on && problem)}
      </p>
    </>
  )
}
