import type { MessageFieldsFragment, Recipient, TimelineEntry } from '@parley/client'
import { useChat, useMessages, useTicks } from '@parley/client/react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { governs, membershipOf } from '../../groups/roles.ts'
import { MessageOptions, type OpenMenu, optionable } from '../../options/message-options.tsx'
import { OptionsButton } from '../../options/options-button.tsx'
import { useAttention } from '../../parts/use-attention.ts'
import { useToday } from '../../parts/use-today.ts'
import { EmptyChat } from '../empty-chat.tsx'
import { FirstUnreadButton } from '../jumping/first-unread-button.tsx'
import { useFirstUnread } from '../jumping/use-first-unread.ts'
import { useJump } from '../jumping/use-jump.ts'
import { hiddenWords } from '../message/hidden.ts'
import { Message } from '../message/message.tsx'
import { awaitsChange, withPendingChanges } from '../message/pending-changes.ts'
import { type Quote, quoteOf } from '../message/quotes.ts'
import type { Changes } from '../message/use-changes.ts'
import { useHidden } from '../message/use-hidden.ts'
import { Notice } from '../notices/notice.tsx'
import { isNotice, noticeWords } from '../notices/notice-words.ts'
import type { ComposerTarget } from '../use-composer-target.ts'
import type { Subject } from '../use-subject.ts'
import { beginningWords } from './beginning.ts'
import { newestSeqOf, tickStateOf } from './entries.ts'
import { FloatingDay, useFloatingDay } from './floating-day.tsx'
import { JumpButton } from './jump-button.tsx'
import { OlderNote } from './older-note.tsx'
import { type Row, rowsOf } from './rows.ts'
import { Separators } from './separators.tsx'
import styles from './timeline.module.css'
import { useBottom } from './use-bottom.ts'
import { useHighlight } from './use-highlight.ts'
import { useMarkRead } from './use-mark-read.ts'
import { usePrepended } from './use-prepended.ts'
import { useUnreadDivider } from './use-unread-divider.ts'

type Props = { to: Recipient; subject: Subject; changes: Changes; onTarget: (target: ComposerTarget) => void }

/** The next page is requested this far from the end, so that it arrives in time. */
const nearEndPx = 1200

export function Timeline({ to, subject, changes, onTarget }: Props) {
  const { title, conversation, pending } = subject
  const isGroup = conversation?.kind === 'GROUP'
  const { userId: viewer } = useChat()
  const { entries: stored, conversationId, loading, hasOlder, hasNewer, left, error, ...timeline } = useMessages(to)
  const { loadOlder, loadNewer, jumpTo, toNewest } = timeline
  const entries = useMemo(() => withPendingChanges(stored, changes.pending), [stored, changes.pending])
  const ticks = useTicks(to)
  const today = useToday()
  const list = useRef<VirtualizerHandle>(null)
  const floating = useFloatingDay()
  const bottom = useBottom({ list, entries, hasNewer, toNewest })
  const { scroller, atBottom, onScroll, stay, toBottom } = bottom
  const attended = useAttention() && atBottom && !hasNewer
  const divider = useUnreadDivider(subject, conversationId, attended)
  // Nothing is marked as read until the unread messages are known.
  useMarkRead(pending ? undefined : conversationId, newestSeqOf(entries, viewer), attended)
  const rows = useMemo(() => rowsOf(entries, { viewer, hasOlder, divider }), [entries, viewer, hasOlder, divider])
  const beginning = beginningWords(subject, viewer)
  const shift = usePrepended(entries)
  const { found, find } = useHighlight(list, bottom)
  const jump = useJump({ rows, jumpTo, leave: bottom.leave, find })
  const firstUnread = useFirstUnread()
  const { hides, reveal } = useHidden(conversation)
  const [menu, setMenu] = useState<OpenMenu>()
  const [touched, setTouched] = useState<string>()
  const [focused, setFocused] = useState<string>()
  // This row may have the focus or the menu, so it is kept when it scrolls out of sight.
  const kept = rows.findIndex((row) => row.key === focused && optionable(row))
  const tabStop = kept >= 0 ? focused : rows.findLast(optionable)?.key

  /** A page that comes while the list scrolls to a message would move it away. */
  function wantMore(): void {
    if (!conversationId || loading || error || found || jump.isJumping) return
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {}
    if (hasOlder && scrollTop < nearEndPx) loadOlder().catch(console.error)
    else if (hasNewer && scrollHeight - clientHeight - scrollTop < nearEndPx) loadNewer().catch(console.error)
  }
  useEffect(wantMore)

  function scrolled(offset: number): void {
    onScroll(offset)
    wantMore()
    const top = list.current?.findItemIndex(offset) ?? -1
    const row = rows[top]
    if (row && !atBottom) floating.passing(row.atMs)
    firstUnread.look({ rows, divider, hasOlder, top, reading: !atBottom })
  }

  function toFirstUnread(byKeyboard: boolean): void {
    if (!divider) return
    firstUnread.setSeen(divider.afterSeq)
    jump.toFirstUnread(divider.afterSeq, byKeyboard)
  }

  function render(row: Row, index: number) {
    const { key, entry } = row
    const message = optionable(row)
    const quote = quoteOf(entry, entries, viewer)
    const notice = noticeWords(entry, viewer)
    return (
      <div key={key} className={styles.row} data-row={key} data-end={index === rows.length - 1 || undefined}>
        <Separators row={row} today={today} beginning={beginning} />
        {notice ? <Notice words={notice} atMs={row.atMs} /> : renderMessage(row, message, quote)}
      </div>
    )
  }

  /** What somebody has said whom the viewer has blocked is not shown by those who reply, either. */
  function shownQuote(entry: TimelineEntry, quote: Quote): Quote {
    const quoted = entry.type === 'message' ? entry.message.replyTo : undefined
    return quoted && hides('', quoted.sender.id) ? { ...quote, line: hiddenWords } : quote
  }

  function renderMessage(row: Row, message: MessageFieldsFragment | undefined, quote: Quote | undefined) {
    const { key, entry } = row
    const isHidden = entry.type === 'message' && hides(key, entry.message.sender.id)
    return (
      <Message
        row={row}
        tick={awaitsChange(entry, changes.pending) ? 'WAITING' : tickStateOf(row, ticks)}
        showsSender={isGroup}
        quote={quote && shownQuote(entry, quote)}
        onReveal={isHidden ? () => reveal(key) : undefined}
        found={key === found}
        tabbable={key === tabStop}
        onActive={() => setFocused(key)}
        touched={key === touched}
        onTouch={() => setTouched(key)}
        onFollowQuote={quote && ((byKeyboard) => jump.toMessage(quote.seq, byKeyboard))}
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
      {entries.every(isNotice) && !loading && !hasOlder && !pending && !left && (
        <EmptyChat subject={subject} viewer={viewer} />
      )}
      {!loading && !error && <FloatingDay atMs={floating.atMs} today={today} />}
      <OlderNote loading={loading} error={error} onRetry={loadOlder} />
      {divider && firstUnread.isAbove(divider) && <FirstUnreadButton count={divider.count} onJump={toFirstUnread} />}
      <JumpButton entries={entries} viewer={viewer} atBottom={atBottom && !hasNewer} onJump={toBottom} />
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
