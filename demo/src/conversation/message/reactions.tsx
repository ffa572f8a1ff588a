import { type Reaction, reactionName } from './reaction-name.ts'
import styles from './reactions.module.css'

type Props = { reactions: readonly Reaction[]; tabbable: boolean; onReact: (emoji: string, on: boolean) => void }

export function Reactions({ reactions, tabbable, onReact }: Props) {
  if (reactions.length === 0) return null
  return (
    <ul className={styles.reactions} aria-label="Reactions">
      {reactions.map((reaction) => (
        <li key={reaction.emoji}>
          <button
            type="button"
            className={styles.chip}
            aria-label={reactionName(reaction)}
            tabIndex={tabbable ? 0 : -1}
            aria-pressed={reaction.viewerReacted}
            onClick={() => onReact(reaction.emoji, !reaction.viewerReacted)}
          >
            <span>{reaction.emoji}</span>
            {reaction.count}
          </button>
        </li>
      ))}
    </ul>
  )
}
