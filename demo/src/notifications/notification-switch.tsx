import type { PushState } from '@parley/client/push'
import { useId } from 'react'
import type { SignedIn } from '../route.ts'
import styles from './notification-switch.module.css'
import { useBanners } from './use-banners.ts'
import { usePush } from './use-push.ts'

const notes: Partial<Record<PushState, string>> = {
  unsupported: 'This browser cannot show notifications on this page.',
  unavailable: 'This server does not send notifications.',
  denied: 'Your browser blocks them. Allow notifications in its settings for this page, left of the address.',
}

/** Switches banners of this browser on and off. */
export function NotificationSwitch({ route }: { route: SignedIn }) {
  const { serviceWorker, state, wanted, problem, change } = usePush()
  useBanners(route, serviceWorker)
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
