import { useEffect, useMemo, useRef } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { Recipient } from '../../../src/client/index.ts'
import { useChat, useMessages, useTicks } from '../../../src/client/react/hooks.tsx'
import { useAttention } from '../parts/use-attention.ts'
import { useToday } from '../parts/use-today.ts'
import { newestSeqOf, tickStateOf } from './entries.ts'
import { FirstWords } from './first-words.tsx'
import { FloatingDay, useFloatingDay } from './floating-day.tsx'
import { JumpButton } from './jump-button.tsx'
import { Message } from './message.tsx'
import { OlderNote } from './older-note.tsx'
import { type Row, rowsOf } from './rows.ts'
import { Separators } from './separators.tsx'
import styles from './timeline.module.css'
import { useBottom } from './use-bottom.ts'
import { useMarkRead } from './use-mark-read.ts'
import { usePrepended } from './use-prepended.ts'
import type { Subject } from './use-subject.ts'
import { useUnreadDivider } from './use-unread-divider.ts'

type Props = { to: Recipient; subject: Subject }

/** So far from the top the next page is asked for, so that it is there in time. */
const nearTopPx = 1200

export function Timeline({ to, subject }: Props) {
  const { title, conversation, pending } = subject
  const { userId: viewer } = useChat()
  const { entries, conversationId, loading, hasOlder, error, loadOlder } = useMessages(to)
  const ticks = useTicks(to)
  const today = useToday()
  const list = useRef<VirtualizerHandle>(null)
  const floating = useFloatingDay()
  const { scroller, atBottom, onScroll, stay, toBottom } = useBottom(entries)
  const attended = useAttention() && atBottom
  const divider = useUnreadDivider(subject, conversationId, attended)
  // Until it is known what is unread, nothing is read.
  useMarkRead(pending ? undefined : conversationId, newestSeqOf(entries, viewer), attended)
  const rows = useMemo(() => rowsOf(entries, { viewer, hasOlder, divider }), [entries, viewer, hasOlder, divider])
  const shift = usePrepended(entries)

  function wantOlder(): void {
    const offset = scroller.current?.scrollTop ?? 0
    if (conversationId && hasOlder && !loading && !error && offset < nearTopPx) loadOlder().catch(console.error)
  }
  useEffect(wantOlder)

  function scrolled(offset: number): void {
    onScroll(offset)
    wantOlder()
    const top = rows[list.current?.findItemIndex(offset) ?? -1]
    if (top && !atBottom) floating.passing(top.atMs)
  }

  const render = (row: Row, index: number) => (
    <div key={row.key} className={styles.row} data-end={index === rows.length - 1 || undefined}>
      <Separators row={row} today={today} title={title} />
      <Message row={row} tick={tickStateOf(row, ticks)} showsSender={conversation?.kind === 'GROUP'} />
    </div>
  )
  return (
    <div className={styles.timeline}>
      <div
        ref={scroller}
        className={styles.scroller}
        role="log"
        aria-live="off"
        aria-label={`Messages with ${title}`}
        aria-busy={loading}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by keys.
        tabIndex={0}
      >
        <div className={styles.spacer} />
        <Virtualizer ref={list} data={rows} shift={shift} bufferSize={600} onScroll={scrolled} onResize={stay}>
          {render}
        </Virtualizer>
      </div>
      {entries.length === 0 && !loading && !hasOlder && !pending && <FirstWords subject={subject} viewer={viewer} />}
      {!loading && !error && <FloatingDay atMs={floating.atMs} today={today} />}
      <OlderNote loading={loading} error={error} onRetry={loadOlder} />
      <JumpButton entries={entries} viewer={viewer} atBottom={atBottom} onJump={toBottom} />
    </div>
  )
}
