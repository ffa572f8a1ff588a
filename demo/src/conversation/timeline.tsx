import type { Recipient } from '@parley/client'
import { useChat, useMessages, useTicks } from '@parley/client/react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { governs, membershipOf } from '../groups/roles.ts'
import { MessageOptions, type OpenMenu, optionable } from '../options/message-options.tsx'
import { OptionsButton } from '../options/options-button.tsx'
import { useAttention } from '../parts/use-attention.ts'
import { useToday } from '../parts/use-today.ts'
import { beginningWords } from './beginning.ts'
import { EmptyChat } from './empty-chat.tsx'
import { newestSeqOf, tickStateOf } from './entries.ts'
import { FloatingDay, useFloatingDay } from './floating-day.tsx'
import { JumpButton } from './jump-button.tsx'
import { Message } from './message.tsx'
import { OlderNote } from './older-note.tsx'
import { awaitsChange, withPendingChanges } from './pending-changes.ts'
import { indexOfSeq, quoteOf } from './quotes.ts'
import { type Row, rowsOf } from './rows.ts'
import { Separators } from './separators.tsx'
import styles from './timeline.module.css'
import { useBottom } from './use-bottom.ts'
import type { Changes } from './use-changes.ts'
import type { ComposerTarget } from './use-composer-target.ts'
import { useHighlight } from './use-highlight.ts'
import { useMarkRead } from './use-mark-read.ts'
import { usePrepended } from './use-prepended.ts'
import type { Subject } from './use-subject.ts'
import { useUnreadDivider } from './use-unread-divider.ts'

type Props = { to: Recipient; subject: Subject; changes: Changes; onTarget: (target: ComposerTarget) => void }

/** The next page is requested this far from the top, so that it arrives in time. */
const nearTopPx = 1200

export function Timeline({ to, subject, changes, onTarget }: Props) {
  const { title, conversation, pending } = subject
  const isGroup = conversation?.kind === 'GROUP'
  const { userId: viewer } = useChat()
  const { entries: stored, conversationId, loading, hasOlder, left, error, loadOlder } = useMessages(to)
  const entries = useMemo(() => withPendingChanges(stored, changes.pending), [stored, changes.pending])
  const ticks = useTicks(to)
  const today = useToday()
  const list = useRef<VirtualizerHandle>(null)
  const floating = useFloatingDay()
  const bottom = useBottom(entries)
  const { scroller, atBottom, onScroll, stay, toBottom } = bottom
  const attended = useAttention() && atBottom
  const divider = useUnreadDivider(subject, conversationId, attended)
  // Nothing is marked as read until the unread messages are known.
  useMarkRead(pending ? undefined : conversationId, newestSeqOf(entries, viewer), attended)
  const rows = useMemo(() => rowsOf(entries, { viewer, hasOlder, divider }), [entries, viewer, hasOlder, divider])
  const beginning = beginningWords(subject, viewer)
  const shift = usePrepended(entries)
  const { found, find } = useHighlight(list, bottom)
  const [menu, setMenu] = useState<OpenMenu>()
  const [touched, setTouched] = useState<string>()
  const [focused, setFocused] = useState<string>()
  // This row may have the focus or the menu, so it is kept when it scrolls out of sight.
  const kept = rows.findIndex((row) => row.key === focused && optionable(row))
  const tabStop = kept >= 0 ? focused : rows.findLast(optionable)?.key

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

  function render(row: Row, index: number) {
    const { key, entry } = row
    const message = optionable(row)
    const quote = quoteOf(entry, entries, viewer)
    const quoted = quote ? indexOfSeq(entries, quote.seq) : -1
    return (
      <div key={key} className={styles.row} data-row={key} data-end={index === rows.length - 1 || undefined}>
        <Separators row={row} today={today} beginning={beginning} />
        <Message
          row={row}
          tick={awaitsChange(entry, changes.pending) ? 'WAITING' : tickStateOf(row, ticks)}
          showsSender={isGroup}
          quote={quote}
          found={key === found}
          tabbable={key === tabStop}
          onActive={() => setFocused(key)}
          touched={key === touched}
          onTouch={() => setTouched(key)}
          onFollowQuote={quoted >= 0 ? (byKeyboard) => find(quoted, entries[quoted]?.key ?? '', byKeyboard) : undefined}
          onReact={(emoji, on) => message && changes.react(message, emoji, on)}
          options={
            message && (
              <OptionsButton
                open={menu?.key === key}
                tabbable={key === tabStop}
                onToggle={(anchor) => setMenu(menu?.key === key ? undefined : { key, anchor })}
              />
            )
          }
        />
      </div>
    )
  }
  return (
    <div className={styles.timeline}>
      <div
        ref={scroller}
        className={styles.scroller}
        role="log"
        aria-live="off"
        aria-label={`Messages ${isGroup ? 'in' : 'with'} ${title}`}
        aria-busy={loading}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it by keys.
        tabIndex={0}
      >
        <div className={styles.spacer} />
        <Virtualizer
          ref={list}
          data={rows}
          shift={shift}
          bufferSize={600}
          {...(kept >= 0 && { keepMounted: [kept] })}
          onScroll={scrolled}
          onResize={stay}
        >
          {render}
        </Virtualizer>
      </div>
      {entries.length === 0 && !loading && !hasOlder && !pending && !left && (
        <EmptyChat subject={subject} viewer={viewer} />
      )}
      {!loading && !error && <FloatingDay atMs={floating.atMs} today={today} />}
      <OlderNote loading={loading} error={error} onRetry={loadOlder} />
      <JumpButton entries={entries} viewer={viewer} atBottom={atBottom} onJump={toBottom} />
      <MessageOptions
        open={menu}
        rows={rows}
        changes={changes}
        governs={isGroup && governs(membershipOf(conversation, viewer)?.role)}
        onTarget={onTarget}
        onClose={() => setMenu(undefined)}
        onDeleted={() => requestAnimationFrame(() => scroller.current?.focus({ preventScroll: true }))}
      />
    </div>
  )
}
