import { Avatar } from '../parts/avatar.tsx'
import { RouteLink } from '../parts/route-link.tsx'
import { samplePeople } from '../people.ts'
import styles from './welcome.module.css'

export function SampleList() {
  return (
    <ul className={styles.samples} aria-label="Sample people">
      {samplePeople.map(({ id, name, line }) => (
        <li key={id}>
          <RouteLink className={styles.sample} route={{ as: id }}>
            <Avatar id={id} name={name} size={44} />
            <span>
              <b>{name}</b> <span className={styles.soft}>{line}</span>
            </span>
          </RouteLink>
        </li>
      ))}
    </ul>
  )
}
