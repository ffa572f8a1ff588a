import { eventTypes } from '../events/event-types.ts'
import styles from './webhooks.module.css'

type Props = { chosen: readonly string[]; onChange: (chosen: readonly string[]) => void }

/** Asks for types of events. If none is chosen, all are posted. */
export function EventTypes({ chosen, onChange }: Props) {
  const toggle = (type: string) =>
    onChange(chosen.includes(type) ? chosen.filter((each) => each !== type) : [...chosen, type])
  return (
    <fieldset className={styles.types}>
      <legend>Events {chosen.length === 0 && <span>(none chosen: all)</span>}</legend>
      {[...new Set([...eventTypes, ...chosen])].map((type) => (
        <label key={type}>
          <input type="checkbox" checked={chosen.includes(type)} onChange={() => toggle(type)} /> {type}
        </label>
      ))}
    </fieldset>
  )
}
