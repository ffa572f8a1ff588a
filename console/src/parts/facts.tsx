import type { ReactNode } from 'react'
import styles from './facts.module.css'

/** Lists what is known of something. What is undefined is left out. */
export function Facts({ of }: { of: Readonly<Record<string, ReactNode>> }) {
  const known = Object.entries(of).filter(([, value]) => value !== undefined)
  return (
    <dl className={styles.facts}>
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Shows an object that belongs to somebody else as it is. */
export function Json({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard.
    <pre className={styles.json} tabIndex={0}>
      {JSON.stringify(value, null, 2)}
    </pre>
  )
}

export function Id({ children }: { children: string }) {
  return <code className={styles.id}>{children}</code>
}

/** Shows what somebody wrote. */
export function Quote({ children }: { children: string }) {
  return (
    <blockquote className={styles.quote} dir="auto">
      {children || 'No text'}
    </blockquote>
  )
}

type BadgeProps = { tone?: 'alarm' | 'warning'; children: ReactNode }

export function Badge({ tone, children }: BadgeProps) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {children}
    </span>
  )
}

const momentFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

export const momentWords = (at: string | Date): string => momentFormat.format(new Date(at))

/** Shows a moment by the clock of this device; the moment in UTC is its title. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {momentWords(at)}
    </time>
  )
}
