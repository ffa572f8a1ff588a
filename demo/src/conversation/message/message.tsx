import type { PointerEvent, ReactNode } from 'react'
import { Attachments, hasPicture } from '../../files/attachments.tsx'
import { filesOf } from '../../files/files-of.ts'
import { Tick, type TickState } from '../../parts/tick.tsx'
import { clock } from '../../parts/times.ts'
import type { Row } from '../timeline/rows.ts'
import { deletedWords } from './deleted.ts'
import { isEmojiOnly } from './emoji-only.ts'
import { FailedMessage } from './failed-message.tsx'
import { hiddenWords } from './hidden.ts'
import styles from './message.module.css'
import { MessageText } from './message-text.tsx'
import { QuoteBlock } from './quote.tsx'
import type { Quote } from './quotes.ts'
import { Reactions } from './reactions.tsx'

type Props = {
  row: Row
  tick?: TickState | undefined
  showsSender: boolean
  quote?: Quote | undefined
  /** Somebody has said it whom the viewer has blocked: it is shown when they ask for it. */
  onReveal?: (() => void) | undefined
  /** The user came here from a quote. */
  found: boolean
  /** One message at a time has tab stops. */
  tabbable: boolean
  onActive: () => void
  /** It was touched. A finger cannot hover. */
  touched: boolean
  onTouch: () => void
  onFollowQuote?: ((byKeyboard: boolean) => void) | undefined
  onReact: (emoji: string, on: boolean) => void
  /** The button beside the message. */
  options: ReactNode
}

export function Message(props: Props) {
  const {
    row,
    tick,
    showsSender,
    quote,
    found,
    onReveal,
    tabbable,
    touched,
    onActive,
    onTouch,
    onFollowQuote,
    onReact,
    options,
  } = props
  const { entry, mine, first, last, sender } = row
  const message = entry.type === 'message' ? entry.message : undefined
  const reactions = onReveal ? [] : (message?.reactions ?? [])
  const files = onReveal ? [] : filesOf(entry)
  return (
    <article
      className={styles.line}
      data-mine={mine || undefined}
      data-first={first || undefined}
      data-last={last || undefined}
      data-tick={tick}
      data-found={found || undefined}
      data-touched={touched || undefined}
      onFocus={onActive}
      onPointerUp={({ pointerType }: PointerEvent) => pointerType === 'touch' && onTouch()}
      onContextMenu={onTouch}
    >
      <div
        className={styles.stack}
        data-reacted={reactions.length > 0 || undefined}
        data-pictured={hasPicture(files) || undefined}
      >
        <div className={styles.bubble}>
          {showsSender && first && !mine ? (
            <p className={styles.sender}>{sender}</p>
          ) : (
            <span className="visually-hidden">{mine ? 'You' : sender}: </span>
          )}
          {quote && !onReveal && (
            <QuoteBlock quote={quote} tabbable={tabbable} {...(onFollowQuote && { onFollow: onFollowQuote })} />
          )}
          <Attachments files={files} messageId={message?.id} tabbable={tabbable} />
          {onReveal ? <Hidden onReveal={onReveal} /> : <Content row={row} tick={tick} />}
          {entry.type === 'outgoing' && entry.outgoing.state === 'failed' && (
            <FailedMessage outgoing={entry.outgoing} />
          )}
        </div>
        <Reactions reactions={reactions} tabbable={tabbable} onReact={onReact} />
      </div>
      {!onReveal && options}
    </article>
  )
}

function Hidden({ onReveal }: { onReveal: () => void }) {
  return (
    <p className={styles.hidden}>
      <em>{hiddenWords}</em>
      <button type="button" className="quiet-button" onClick={onReveal}>
        Show
      </button>
    </p>
  )
}

function Content({ row: { entry, atMs }, tick }: Pick<Props, 'row' | 'tick'>) {
  const { body } = entry.type === 'message' ? entry.message : entry.outgoing
  const { deletedAt = null, editedAt = null } = entry.type === 'message' ? entry.message : {}
  return (
    <div className={styles.content} dir="auto" data-large={isEmojiOnly(body) || undefined}>
      {deletedAt ? (
        <em className={styles.deleted}>{deletedWords}</em>
      ) : (
        <span className={styles.text}>
          <MessageText text={body} />
        </span>
      )}
      <span className={styles.meta}>
        {editedAt && !deletedAt && <span>edited</span>}
        <time dir="ltr" dateTime={new Date(atMs).toISOString()}>
          {clock(atMs)}
        </time>
        {tick && <Tick state={tick} />}
      </span>
    </div>
  )
}
