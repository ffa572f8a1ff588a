import { describe, expect, it } from 'vitest'
import type { History, MessageSeen } from './history.ts'
import {
  alter,
  alters,
  call,
  calls,
  edit,
  followChanges,
  four,
  id,
  judge,
  page,
  plain,
  reaction,
  row,
  six,
  sixEdited,
  sixLast,
  tables,
  ten,
  two,
  twoGone,
} from './stories/group-story.ts'

describe('a change of a message', () => {
  const drop = (seq: number) => (story: History) => {
    const [table] = story.tables
    if (table) table.rows = table.rows.filter((each) => each.seq !== seq)
  }

  it('is in the log if it was acknowledged, as it was asked for', () => {
    expect(judge(drop(7))).toContainEqual(
      expect.stringMatching(/^P1: alice.phone was acknowledged the edit a-3, but it is not/),
    )
    expect(row(8, { alteration: { ...reaction, emoji: '👎' } })).toContainEqual(
      expect.stringMatching(/^P1: carol.phone was acknowledged the reaction c-2, but/),
    )
    expect(row(8, { targetSeq: 4 })).toContainEqual(
      expect.stringMatching(/^P1: carol.phone was acknowledged the reaction/),
    )
  })

  it('shows in its answer', () => {
    const again = (answer: MessageSeen) =>
      calls(alter('alice', 130, { seq: 6, clientMessageId: 'a-3', alteration: edit }, answer))
    expect(again(sixLast)).toEqual([])
    expect(again(six)).toEqual([expect.stringMatching(/^P1: .* does not show it/)])
    expect(again(ten)).toEqual([expect.stringMatching(/^P1: .* another message/)])
  })

  it('is stored once, and only if somebody asked for it', () => {
    expect(tables(({ rows: all }) => void all.push(alters(11, 'alice', 'a-3', 6, edit)))).toContainEqual(
      expect.stringMatching(/^P2: alice a-3 is stored at #7 and #11/),
    )
    expect(tables(({ rows: all }) => void all.push(alters(11, 'alice', 'a-9', 6, { type: 'delete' })))).toContainEqual(
      expect.stringMatching(/^P2: #11 is a change that nobody asked for/),
    )
    expect(tables(({ rows: all }) => void all.push(alters(11, 'alice', 'a-2', 6, edit)))).toContainEqual(
      expect.stringMatching(/^P2: alice a-2 is stored at #6 and #11/),
    )
    expect(row(7, { targetSeq: 3 })).toContainEqual(expect.stringMatching(/^P3: #7 changes #3, which is no message/))
  })

  it('shows in the end', () => {
    expect(row(6, { edited: undefined, body: 'a-2 news' })).toContainEqual(
      expect.stringMatching(/^P1: #6 does not show in the end the edit of #7/),
    )
    expect(row(6, { reactions: [] })).toContainEqual(
      expect.stringMatching(/^P1: #6 does not show in the end the reaction of #8/),
    )
    expect(row(2, { deletedAtMs: undefined, body: 'a-1 hello' })).toContainEqual(
      expect.stringMatching(/^P1: #2 does not show in the end the delete of #9/),
    )
  })

  it('that was shown to somebody shows in the end, even if nobody was told that it is stored', () => {
    const shown = (isShown: boolean) =>
      judge((story) => {
        const request = { seq: 4, clientMessageId: 'b-2', alteration: { type: 'edit', body: 'b-2 ho' } }
        story.tables[0]?.rows.push(alters(11, 'bob', 'b-2', 4, request.alteration))
        story.calls.push(call('change', 'bob', 50, request, { lost: { reason: 'reset' } }))
        const edited = { ...four, body: 'b-2 ho', look: { ...plain, edited: true } }
        if (isShown) story.changeStreams.push(followChanges('alice', [[edited, 11, 9]], { [id]: 9 }))
      })
    expect(shown(false)).toEqual([])
    expect(shown(true)).toEqual([expect.stringMatching(/^P1: #4 does not show in the end the edit of #11/)])
  })

  it('is all that makes a message look as it does', () => {
    expect(row(6, { body: 'a-9 never said' })).toContainEqual(
      expect.stringMatching(/^P1: in the end #6 .* has not the text of its last edit/),
    )
    expect(row(4, { edited: { seq: 8, atMs: 0 } })).toContainEqual(
      expect.stringMatching(/^P1: .* was edited by #8, which is no edit/),
    )
    expect(row(4, { deletedAtMs: 1, body: '' })).toContainEqual(expect.stringMatching(/^P1: .* was deleted by nobody/))
    expect(row(2, { body: 'a-1 hello' })).toContainEqual(expect.stringMatching(/^P1: .* is deleted and not empty/))
    expect(row(4, { reactions: [{ emoji: '👍', userId: 'carol', seq: 8, on: true }] })).toContainEqual(
      expect.stringMatching(/^P1: .* has 👍 of carol from #8, where it is not/),
    )
    expect(row(4, { body: 'b-1 never said' })).toContainEqual(expect.stringMatching(/^P2: nobody sent #4/))
  })

  it('shows on every page after it', () => {
    const edited = expect.stringMatching(/^P1: a page of carol.phone .* without the edit of #7/)
    expect(calls(page('carol', 130, [ten, six, four]))).toContainEqual(edited)
    expect(calls(page('alice', 130, [ten, sixLast, four, two]))).toEqual([
      expect.stringMatching(/^P1: a page of alice.phone .* without the delete of #9/),
    ])
    expect(calls(page('carol', 130, [ten, sixEdited, four]))).toEqual([
      expect.stringMatching(/^P1: .* without the reaction of #8/),
    ])
    const never = { ...sixLast, body: 'never said' }
    expect(calls(page('carol', 130, [ten, never, four]))).toContainEqual(expect.stringMatching(/^P3: .* shows #6/))
  })
})

describe('a stream of changes', () => {
  const streamed = (userId: string, events: [MessageSeen, number, number][], after?: Record<string, number>) =>
    judge(({ changeStreams }) => void changeStreams.push(followChanges(userId, events, after)))

  it('goes on where the device was', () => {
    expect(
      streamed(
        'alice',
        [
          [sixLast, 8, 7],
          [twoGone, 9, 8],
        ],
        { [id]: 7 },
      ),
    ).toEqual([])
    expect(streamed('alice', [[sixLast, 8, 0]], { [id]: 7 })).toEqual([
      expect.stringMatching(/^P4: .* say previousSeq 0 of #8/),
    ])
    expect(streamed('alice', [[sixLast, 8, 7]], { [id]: 8 })).toEqual([
      expect.stringMatching(/^P4: .* show #8 after #8/),
    ])
  })

  it('shows each once, in order, and leaves none out', () => {
    expect(
      streamed('alice', [
        [sixEdited, 7, 0],
        [sixLast, 8, 7],
        [sixLast, 8, 8],
      ]),
    ).toEqual([expect.stringMatching(/^P4: .* show #8 after #8/)])
    expect(streamed('alice', [[twoGone, 9, 0]])).toEqual([
      expect.stringMatching(/^P4: .* go from #0 to #9 and skip #7/),
      expect.stringMatching(/^P4: .* go from #0 to #9 and skip #8/),
    ])
  })

  it('shows the message with the change', () => {
    expect(streamed('alice', [[six, 7, 0]])).toEqual([expect.stringMatching(/^P4: .* does not show it/)])
    expect(streamed('alice', [[four, 7, 0]])).toEqual([expect.stringMatching(/^P4: .* is no change of #4/)])
  })

  it('shows nothing of messages from before its user came, nor what came after they went', () => {
    expect(streamed('carol', [[twoGone, 9, 8]], { [id]: 8 })).toEqual([expect.stringMatching(/^P6: .* show #9 of #2/)])
    expect(streamed('bob', [[sixEdited, 7, 0]])).toEqual([expect.stringMatching(/^P6: .* show #7 of #6/)])
  })

  it('brings everything that was acknowledged', () => {
    expect(judge(({ changeStreams }) => void changeStreams[1]?.events.pop())).toEqual([
      'P4: carol/phone never got #8, a change of #6',
    ])
  })
})
