import { WindowIcon } from '../parts/icons.tsx'
import { SecondWindow } from '../parts/second-window.tsx'
import styles from './timeline/timeline.module.css'
import type { Subject } from './use-subject.ts'

type Props = { subject: Subject; viewer: string }

/** Shows a chat that has no messages yet. */
export function EmptyChat({ subject: { title, other, conversation }, viewer }: Props) {
  if (!other || other.id === viewer) {
    return (
      <div className={styles.firstWords}>
        <p>{conversation?.kind === 'GROUP' ? `Say hello to everybody in “${title}”.` : 'Nothing here yet.'}</p>
      </div>
    )
  }
  return (
    <div className={styles.firstWords}>
      <p>
        Say hello to {title}. Whether {title} is there or not, the message keeps: one tick when it is stored, two when
        it has arrived, blue when it is read.
      </p>
      <SecondWindow className="button" as={other} with={viewer}>
        <WindowIcon size={18} /> Be {title} in a second window
      </SecondWindow>
    </div>
  )
}
