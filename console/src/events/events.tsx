import { useState } from 'react'
import { Problem } from '../../../demo/src/parts/problem.tsx'
import { Badge } from '../parts/facts.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/trouble.tsx'
import { EventRow } from './event-row.tsx'
import { eventTypes } from './event-types.ts'
import styles from './events.module.css'
import { useEvents } from './use-events.ts'

const all = 'all'

/** Shows what happens, as it happens. */
export function Events() {
  const [paused, setPaused] = useState(false)
  const [type, setType] = useState<string>(all)
  const { events, live, problem, clear } = useEvents(paused)
  const shown = type === all ? events : events.filter((event) => event.type === type)
  return (
    <Page title="Events">
      <div className={styles.bar}>
        <span role="status">
          <Badge {...(!live && { tone: 'warning' })}>{live ? 'Live' : paused ? 'Paused' : 'Not connected'}</Badge>
        </span>
        <label>
          Type{' '}
          <select value={type} onChange={(event) => setType(event.target.value)}>
            {[all, ...eventTypes].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <button type="button" className="quiet-button" onClick={() => setPaused(!paused)}>
          {paused ? 'Go on' : 'Pause'}
        </button>
        <button type="button" className="quiet-button" disabled={events.length === 0} onClick={clear}>
          Clear
        </button>
      </div>
      <Problem words={problem} />
      {shown.length > 0 ? (
        <ol>
          {shown.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </ol>
      ) : (
        !problem && <Empty>What happens from now on comes here, the newest first.</Empty>
      )}
    </Page>
  )
}
