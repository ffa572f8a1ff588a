import styles from './avatar.module.css'
import { GroupIcon } from './icons.tsx'

const colours = ['#2a7463', '#a3510f', '#6d4aa8', '#1d6aa5', '#ad3459', '#55661a', '#86503a', '#3d56a6']
/** The sample people have fixed colours that differ clearly. */
const fixed: Record<string, number> = { alice: 4, bob: 3, carol: 2, dave: 1 }

type Props = { id: string; name: string; size?: number; group?: boolean }

export function Avatar({ id, name, size = 46, group }: Props) {
  return (
    <span
      className={styles.avatar}
      data-group={group || undefined}
      style={{ background: colourOf(id), width: size, height: size, fontSize: size * 0.38 }}
      aria-hidden="true"
    >
      {group ? <GroupIcon size={size * 0.55} /> : initialsOf(name)}
    </span>
  )
}

function colourOf(id: string): string | undefined {
  let hash = 0
  for (const letter of id) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return colours[fixed[id] ?? hash % colours.length]
}

function initialsOf(name: string): string {
  const words = name.split(/[\s._@|:-]+/).filter(Boolean)
  const [first, last] = [words[0], words.length > 1 ? words.at(-1) : undefined]
  return [first, last]
    .map((word) => (word ? (Array.from(word)[0] ?? '') : ''))
    .join('')
    .toUpperCase()
}
