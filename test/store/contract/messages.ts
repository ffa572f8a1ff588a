import { describe, expect, test } from 'vitest'
import type { Alteration, LogRow, MessageLog } from '../../../src/ports/log.ts'
import type { AttachmentId, ConversationId, UserId } from '../../../src/protocol/ids.ts'
import { seqMax } from '../../../src/protocol/limits.ts'
import { aChange, aConversation, aMessage, aUser, aVoid, upTo } from '../../kit/ids.ts'

export function messagesContract(open: () => MessageLog): void {
  const fill = async (rows: LogRow[]) => {
    await Promise.all(rows.map((row) => open().put(row)))
    return rows
  }
  const aLog = (conversationId: ConversationId, length: number, body?: string) =>
    fill(upTo(length).map((seq) => aMessage(conversationId, seq, body === undefined ? {} : { body })))
  /** Looks again until there are `most`. */
  async function countOf(id: ConversationId, after: number, senderId: UserId, most: number): Promise<number> {
    const before = 1000
    let [counted, at] = [0, after]
    while (counted < most && at < before - 1) {
      const found = await open().ofOthers(id, { after: at, before }, senderId, most)
      counted += found.seqs.length
      expect(found.upTo).toBeGreaterThan(at)
      at = found.upTo
    }
    return Math.min(counted, most)
  }
  const seqs = (rows: readonly LogRow[]) => rows.map(({ seq }) => seq)

  describe('a cell', () => {
    test('gives back the message that was put into it, every field of it', async () => {
      const message = aMessage(aConversation(), 7)
      expect(await open().put(message)).toBe('written')
      expect(await open().get(message)).toEqual(message)
    })

    test('gives back a void', async () => {
      const skipped = aVoid(aConversation(), 3)
      expect(await open().put(skipped)).toBe('written')
      expect(await open().get(skipped)).toEqual(skipped)
    })

    test.each<Alteration>([
      { type: 'edit', body: 'better' },
      { type: 'delete' },
      { type: 'reaction', emoji: '👍🏽', on: true },
      { type: 'reaction', emoji: '🎉', on: false },
    ])('gives back a change: %j', async (alteration) => {
      const change = aChange(aMessage(aConversation(), 1), 2, alteration)
      expect(await open().put(change)).toBe('written')
      expect(await open().get(change)).toEqual(change)
    })

    test('gives back what a message answers', async () => {
      const reply = aMessage(aConversation(), 2, { replyToSeq: 1 })
      await fill([reply])
      expect(await open().get(reply)).toEqual(reply)
    })

    test('whose time is over becomes a void, or an entry that nobody is shown', async () => {
      const conversationId = aConversation()
      const [first, second] = [aMessage(conversationId, 1), aMessage(conversationId, 2, { metadata: '{"a":1}' })]
      const change = aChange(first, 3, { type: 'edit', body: 'better' })
      await fill([first, second, change, aVoid(conversationId, 4)])
      const { senderId, messageId, sentAtMs } = second
      const left = { ...{ kind: 'change', conversationId, seq: 2, targetSeq: 2, senderId, messageId, sentAtMs } }
      for (let i = 0; i < 2; i += 1) {
        await open().empty(first, 'void')
        await open().empty(second, 'entry')
        await open().empty(change, 'void')
        await open().empty(aVoid(conversationId, 4), 'entry')
        await open().empty(aVoid(conversationId, 5), 'void')
        const [one, two, ...rest] = await open().above(conversationId, 0, 9)
        expect(one).toEqual(aVoid(conversationId, 1))
        const emptied = { clientMessageId: 'emptied#2', alteration: { type: 'edit', body: '' } }
        expect(two).toEqual({ ...left, ...emptied })
        expect(rest).toEqual([aVoid(conversationId, 3), aVoid(conversationId, 4)])
      }
      expect(await open().alter(aChange(second, 6, { type: 'reaction', emoji: '🎉', on: true }))).toBeUndefined()
      expect(await open().put(first)).toBe('taken')
    })

    test('that is empty gives nothing', async () => {
      const conversationId = aConversation()
      await open().put(aMessage(conversationId, 1))
      expect(await open().get({ conversationId, seq: 2 })).toBeUndefined()
      expect(await open().get({ conversationId: aConversation(), seq: 1 })).toBeUndefined()
    })

    test('that is taken keeps what it has, be it a message or a void', async () => {
      const message = aMessage(aConversation(), 1)
      const skipped = aVoid(message.conversationId, 2)
      await fill([message, skipped])

      expect(await open().put(aMessage(message.conversationId, 1))).toBe('taken')
      expect(await open().put(aVoid(message.conversationId, 1))).toBe('taken')
      expect(await open().put(aMessage(message.conversationId, 2))).toBe('taken')
      expect(await open().put(message)).toBe('taken')

      expect(await open().get(message)).toEqual(message)
      expect(await open().get(skipped)).toEqual(skipped)
    })

    test('is written by exactly one of twenty who try at once', async () => {
      const conversationId = aConversation()
      const rivals = upTo(20).map((n) => (n % 4 === 0 ? aVoid(conversationId, 1) : aMessage(conversationId, 1)))

      const outcomes = await Promise.all(rivals.map((row) => open().put(row)))

      expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1)
      expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(19)
      expect(await open().get({ conversationId, seq: 1 })).toEqual(rivals[outcomes.indexOf('written')])
    })

    test('belongs to one conversation', async () => {
      const mine = aMessage(aConversation(), 1)
      const other = aMessage(aConversation(), 1)
      await fill([mine, other])
      expect(await open().get(mine)).toEqual(mine)
      expect(await open().get(other)).toEqual(other)
    })

    test('keeps a body byte for byte', async () => {
      const bodies = [
        '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🇨🇭',
        'e\u0301 is not \u00e9, \u1112\u1161\u11ab is not \ud55c',
        'z\u0338\u0327\u0351\u0300algo\u0489',
        '  leading, trailing and\r\n\tinner white space \u00a0\u200b\u2028\u2029 ',
        '\ufeffbyte order mark',
        '\u202eright to left\u202c שלום مرحبا',
        '"quotes" \\backslashes\\ \u0001\u001f\u007f </script> %00 $& \\u0000',
        '\u{10ffff}\ufffd\uffff',
        '𝒳'.repeat(4096),
      ]
      const conversationId = aConversation()
      await fill(bodies.map((body, i) => aMessage(conversationId, i + 1, { body })))

      const rows = await open().above(conversationId, 0, bodies.length)

      const kept = rows.map((row) => (row.kind === 'message' ? Buffer.from(row.body).toString('hex') : undefined))
      expect(kept).toEqual(bodies.map((body) => Buffer.from(body).toString('hex')))
    })

    test('exists for the highest seq there is', async () => {
      const last = aMessage(aConversation(), seqMax)
      await open().put(last)
      expect(await open().get(last)).toEqual(last)
      expect(await open().below(last.conversationId, seqMax + 1, 1)).toEqual([last])
    })

    test('does not change with the object that was put or read', async () => {
      const message = aMessage(aConversation(), 1)
      const given = { ...message }
      await open().put(given)
      given.body = 'changed'
      const read = await open().get(message)
      if (read?.kind === 'message') read.body = 'changed'
      expect(await open().get(message)).toEqual(message)
    })
  })

  describe('reading many cells', () => {
    test('finds the 200 of 250 that are not empty', async () => {
      const [one, two] = [aConversation(), aConversation()]
      const rows = await fill([...(await aLog(one, 120)), ...upTo(80).map((seq) => aVoid(two, seq))])
      const empty = upTo(50).map((n) => ({ conversationId: two, seq: 1000 + n }))

      const found = await open().getMany([...rows, ...empty])

      expect(found).toHaveLength(200)
      expect(new Set(found.map(place))).toEqual(new Set(rows.map(place)))
      const sample = found.find((row) => place(row) === place({ conversationId: one, seq: 33 }))
      expect(sample).toEqual(rows[32])
    })

    test('reads nothing where nothing is asked for', async () => {
      expect(await open().getMany([])).toEqual([])
    })

    test('gives a cell once, however often it is asked for', async () => {
      const message = aMessage(aConversation(), 1)
      await open().put(message)
      expect(await open().getMany([message, { ...message }, message])).toEqual([message])
    })

    test('gives them all when together they are more than one answer can hold', async () => {
      const rows = await aLog(aConversation(), 100, 'x'.repeat(16 * 1024))
      const found = await open().getMany(rows)
      expect(found.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(upTo(100))
    })
  })

  describe('above and below', () => {
    test('are ascending and descending, without the edge itself, voids among them', async () => {
      const conversationId = aConversation()
      const rows = await fill(
        upTo(12).map((seq) => (seq % 3 === 0 ? aVoid(conversationId, seq) : aMessage(conversationId, seq))),
      )
      expect(await open().above(conversationId, 4, 5)).toEqual(rows.slice(4, 9))
      expect(await open().below(conversationId, 9, 5)).toEqual(rows.slice(3, 8).reverse())
    })

    test('order by number, not by text', async () => {
      const conversationId = aConversation()
      await fill([1, 2, 9, 10, 11, 99, 100, 101, 1000].map((seq) => aMessage(conversationId, seq)))
      expect(seqs(await open().above(conversationId, 0, 50))).toEqual([1, 2, 9, 10, 11, 99, 100, 101, 1000])
      expect(seqs(await open().above(conversationId, 9, 3))).toEqual([10, 11, 99])
      expect(seqs(await open().below(conversationId, 100, 3))).toEqual([99, 11, 10])
    })

    test('give fewer only where the log ends or begins', async () => {
      const conversationId = aConversation()
      await aLog(conversationId, 5)
      expect(seqs(await open().above(conversationId, 3, 10))).toEqual([4, 5])
      expect(seqs(await open().above(conversationId, 3, 2))).toEqual([4, 5])
      expect(seqs(await open().above(conversationId, 5, 10))).toEqual([])
      expect(seqs(await open().below(conversationId, 3, 10))).toEqual([2, 1])
      expect(seqs(await open().below(conversationId, 1, 10))).toEqual([])
      expect(seqs(await open().below(conversationId, seqMax + 1, 1))).toEqual([5])
      expect(await open().above(aConversation(), 0, 10)).toEqual([])
      expect(await open().below(aConversation(), seqMax + 1, 10)).toEqual([])
    })

    test('pass over holes', async () => {
      const conversationId = aConversation()
      await fill([2, 3, 7].map((seq) => aMessage(conversationId, seq)))
      expect(seqs(await open().above(conversationId, 0, 3))).toEqual([2, 3, 7])
      expect(seqs(await open().below(conversationId, 8, 3))).toEqual([7, 3, 2])
    })

    test('give every row asked for when together they are over 1 MB', async () => {
      const conversationId = aConversation()
      const rows = await aLog(conversationId, 110, 'ü'.repeat(8 * 1024))
      expect(seqs(await open().above(conversationId, 0, 100))).toEqual(upTo(100))
      expect(seqs(await open().above(conversationId, 0, 500))).toEqual(upTo(110))
      expect(seqs(await open().below(conversationId, 111, 100))).toEqual(upTo(110).reverse().slice(0, 100))
      expect((await open().below(conversationId, 2, 100))[0]).toEqual(rows[0])
    })
  })

  describe('counting what others wrote', () => {
    test('leaves out the own messages, the voids, and what is not above', async () => {
      const conversationId = aConversation()
      const me = aUser()
      await fill([
        aMessage(conversationId, 1),
        aMessage(conversationId, 2, { senderId: me }),
        aMessage(conversationId, 3),
        aVoid(conversationId, 4),
        aMessage(conversationId, 5),
        aMessage(conversationId, 6, { senderId: me }),
      ])
      expect(await countOf(conversationId, 0, me, 100)).toBe(3)
      expect(await countOf(conversationId, 1, me, 100)).toBe(2)
      expect(await countOf(conversationId, 3, me, 100)).toBe(1)
      expect(await countOf(conversationId, 5, me, 100)).toBe(0)
      expect(await countOf(conversationId, 0, aUser(), 100)).toBe(5)
      expect(await countOf(aConversation(), 0, me, 100)).toBe(0)
    })

    test('goes no further than asked', async () => {
      const conversationId = aConversation()
      await aLog(conversationId, 30)
      expect(await countOf(conversationId, 0, aUser(), 10)).toBe(10)
      expect(await countOf(conversationId, 0, aUser(), 30)).toBe(30)
      expect(await countOf(conversationId, 0, aUser(), 31)).toBe(30)
    })

    test('finds them behind many own ones', async () => {
      const conversationId = aConversation()
      const me = aUser()
      const mine = upTo(60).map((seq) => aMessage(conversationId, seq, { senderId: me }))
      await fill([...mine, ...[61, 62, 63, 64, 65].map((seq) => aMessage(conversationId, seq))])
      expect(await countOf(conversationId, 0, me, 3)).toBe(3)
      expect(await countOf(conversationId, 0, me, 7)).toBe(5)
    })

    test('says which they are, how far it has looked, and whether a cell was empty on the way', async () => {
      const conversationId = aConversation()
      const me = aUser()
      await fill([
        aMessage(conversationId, 1),
        ...[2, 3].map((seq) => aMessage(conversationId, seq, { senderId: me })),
        aMessage(conversationId, 4),
        aMessage(conversationId, 6),
      ])
      const look = (after: number, before: number, limit: number) =>
        open().ofOthers(conversationId, { after, before }, me, limit)
      expect(await look(0, 5, 100)).toEqual({ seqs: [1, 4], upTo: 4, whole: true })
      expect(await look(1, 4, 100)).toEqual({ seqs: [], upTo: 3, whole: true })
      expect(await look(0, 7, 3)).toEqual({ seqs: [1], upTo: 3, whole: true })
      expect(await look(0, 7, 100)).toEqual({ seqs: [1, 4, 6], upTo: 6, whole: false })
      expect(await look(4, 7, 1)).toEqual({ seqs: [6], upTo: 6, whole: false })
    })

    test('counts over more than 1 MB', async () => {
      const conversationId = aConversation()
      await aLog(conversationId, 100, 'x'.repeat(16 * 1024))
      expect(await countOf(conversationId, 0, aUser(), 100)).toBe(100)
    })
  })

  describe('a change', () => {
    /** It takes 35 bytes, the most that an emoji does. */
    const longest = '👩🏻‍❤️‍💋‍👩🏻'
    const longestOf = (n: number) => longest.replace('🏻', ['🏻', '🏼', '🏽', '🏾', '🏿'][n] ?? '🏻')
    const thumb = (on: boolean): Alteration => ({ type: 'reaction', emoji: '👍', on })

    test('shows on its message, and says what has become of it', async () => {
      const message = aMessage(aConversation(), 1)
      await fill([message])
      const edit = aChange(message, 2, { type: 'edit', body: 'better' })
      const edited = { ...message, body: 'better', edited: { seq: 2, atMs: edit.sentAtMs }, edits: 1 }
      expect(await open().alter(edit)).toEqual(edited)
      expect(await open().get(message)).toEqual(edited)
      expect(await open().alter(edit)).toEqual(edited)
    })

    test('that comes late does not undo a later edit', async () => {
      const message = aMessage(aConversation(), 1)
      await fill([message])
      await open().alter(aChange(message, 3, { type: 'edit', body: 'third' }))
      expect(await open().alter(aChange(message, 2, { type: 'edit', body: 'second' }))).toMatchObject({ body: 'third' })
    })

    test('that deletes takes body and reactions, for good', async () => {
      const message = aMessage(aConversation(), 1)
      await fill([message])
      await open().alter(aChange(message, 2, thumb(true)))
      const deletion = aChange(message, 3, { type: 'delete' })
      const deleted = { ...message, body: '', deletedAtMs: deletion.sentAtMs }
      expect(await open().alter(deletion)).toEqual(deleted)
      expect(await open().alter(aChange(message, 4, { type: 'edit', body: 'back' }))).toEqual(deleted)
      expect(await open().alter(aChange(message, 5, thumb(true)))).toEqual(deleted)
      expect(await open().alter(aChange(message, 6, { type: 'delete' }))).toEqual(deleted)
    })

    test('keeps that the text was replaced, of a message and of an edit', async () => {
      const message = aMessage(aConversation(), 1, { replaced: true })
      await open().put(message)
      const edit = aChange(message, 2, { type: 'edit', body: 'other' })
      await open().put({ ...edit, replaced: true })
      await open().alter(edit)
      for (const address of [message, edit]) expect(await open().get(address)).toMatchObject({ replaced: true })
      expect(await open().alter(aChange(message, 3, { type: 'delete' }))).toMatchObject({ replaced: true })
    })

    test('keeps the metadata, unless it deletes', async () => {
      const metadata = '{"b":1,"a":[true,null,"ä"]}'
      const message = aMessage(aConversation(), 1, { metadata })
      await open().put(message)
      expect(await open().get(message)).toMatchObject({ metadata })
      const edited = await open().alter(aChange(message, 2, { type: 'edit', body: 'other' }))
      expect(edited).toMatchObject({ body: 'other', metadata })
      expect(await open().alter(aChange(message, 3, { type: 'delete' }))).not.toHaveProperty('metadata')
      expect(await open().get(message)).not.toHaveProperty('metadata')
    })

    test('keeps that a backend has said it, also if it deletes', async () => {
      const message = aMessage(aConversation(), 1, { system: true })
      await open().put(message)
      expect(await open().get(message)).toEqual(message)
      expect(await open().alter(aChange(message, 2, { type: 'edit', body: 'other' }))).toMatchObject({ system: true })
      expect(await open().alter(aChange(message, 3, { type: 'delete' }))).toMatchObject({ system: true })
    })

    test('keeps the attachments, unless it deletes', async () => {
      const file = (name: string) => ({
        id: `att_1_${name}` as AttachmentId,
        key: `attachments/att_1_${name}`,
        contentType: 'image/png',
        byteSize: 7,
      })
      const attachments = [{ ...file('aaaaaaaa'), name: 'a "cat".png' }, file('bbbbbbbb')]
      const message = aMessage(aConversation(), 1, { body: '', attachments })
      await fill([message])
      expect(await open().get(message)).toEqual(message)
      const edit = aChange(message, 2, { type: 'edit', body: 'better' })
      expect(await open().alter(edit)).toMatchObject({ body: 'better', attachments })
      expect(await open().alter(aChange(message, 3, { type: 'delete' }))).not.toHaveProperty('attachments')
    })

    test('of reactions: everybody has their own, each the latest', async () => {
      const message = aMessage(aConversation(), 1)
      const bob = aUser()
      await fill([message])
      await Promise.all([
        open().alter(aChange(message, 2, thumb(true))),
        open().alter(aChange(message, 3, thumb(true), { senderId: bob })),
        open().alter(aChange(message, 4, { type: 'reaction', emoji: '❤️', on: true }, { senderId: bob })),
      ])
      await open().alter(aChange(message, 6, thumb(false)))
      const late = await open().alter(aChange(message, 5, thumb(true)))
      expect(late?.reactions).toEqual([
        { emoji: '👍', userId: bob, seq: 3, on: true, changes: 2 },
        { emoji: '❤️', userId: bob, seq: 4, on: true, changes: 2 },
        { emoji: '👍', userId: message.senderId, seq: 6, on: false, changes: 2 },
      ])
      const again = await open().alter(aChange(message, 7, thumb(true)))
      expect(again?.reactions?.at(-1)).toEqual({ emoji: '👍', userId: message.senderId, seq: 7, on: true, changes: 3 })
    })

    test('of reactions: people whose ids name something that every object has react as everybody else', async () => {
      const message = aMessage(aConversation(), 1)
      await fill([message])
      await open().alter(aChange(message, 2, thumb(true)))
      const odd = Object.getOwnPropertyNames(Object.prototype) as UserId[]
      expect(odd).toContain('__proto__')
      for (const [i, senderId] of odd.entries()) await open().alter(aChange(message, 3 + i, thumb(true), { senderId }))
      for (const senderId of odd) await open().alter(aChange(message, 50, thumb(false), { senderId }))
      const first = aMessage(aConversation(), 1)
      await fill([first])
      await open().alter(aChange(first, 2, thumb(true), { senderId: '__proto__' as UserId }))
      const people = async (of: typeof message) => {
        const row = await open().get(of)
        return row?.kind === 'message' ? row.reactions?.map(({ userId, on }) => `${userId} ${on}`) : undefined
      }
      expect(new Set(await people(message))).toEqual(
        new Set([`${message.senderId} true`, ...odd.map((userId) => `${userId} false`)]),
      )
      expect(await people(first)).toEqual(['__proto__ true'])
      const stored = aMessage(aConversation(), 1, {
        reactions: odd.map((userId, i) => ({ emoji: '👍', userId, seq: i + 2, on: true, changes: 1 })),
      })
      await fill([stored])
      expect(await open().get(stored)).toEqual(stored)
    })

    test('of reactions: however many one person has made, what is kept is the same in whatever order they are applied', async () => {
      const emoji = [
        '👍',
        '👎🏽',
        '🎉',
        longest,
        '👩‍👩‍👧',
        '🇩🇪',
        '1️⃣',
        '😀',
        '😂',
        '😭',
        '😡',
        '🤔',
        '🙏',
        '🔥',
        '💯',
        '🚀',
        '👀',
        '🥳',
      ]
      const made = [...emoji, ...emoji.slice(0, 6)].map((each, i) => ({ emoji: each, on: i % 4 !== 3 }))
      const kept = async (order: (seqs: number[]) => number[]) => {
        const message = aMessage(aConversation(), 1)
        await fill([message])
        for (const seq of order(made.map((_, i) => i + 2))) {
          const { emoji: each = '', on = true } = made[seq - 2] ?? {}
          await open().alter(aChange(message, seq, { type: 'reaction', emoji: each, on }))
        }
        const now = await open().get(message)
        if (now?.kind !== 'message') expect.fail()
        return now.reactions?.map(({ emoji: each, seq, on }) => `${seq} ${each} ${on}`)
      }
      const inOrder = await kept((seqs) => seqs)
      expect(inOrder?.at(-1)).toBe(`${made.length + 1} 🇩🇪 ${made.at(-1)?.on}`)
      expect(inOrder?.length).toBeLessThan(emoji.length)
      expect(await kept((seqs) => seqs.toReversed())).toEqual(inOrder)
      const twice = (seqs: number[]) => [...seqs.filter((seq) => seq % 2), ...seqs.filter((seq) => seq % 3), ...seqs]
      expect(await kept(twice)).toEqual(inOrder)
    })

    test('of reactions: what has fallen out of the room does not come back where a larger one leaves room for it', async () => {
      const message = aMessage(aConversation(), 1)
      await fill([message])
      const made = ['👍', longestOf(1), longestOf(2), longestOf(3), longestOf(4), '🎉', '😀']
      const changes = made.map((emoji, i) => aChange(message, i + 2, { type: 'reaction', emoji, on: true }))
      for (const change of changes) await open().alter(change)
      const [first] = changes
      const again = first && (await open().alter(first))
      expect(again?.reactions?.map(({ seq, floor }) => [seq, floor])).toEqual([4, 5, 6, 7, 8].map((seq) => [seq, 3]))
    })

    test('of reactions: those of 1,024 people fit, however long; beyond, nobody new comes in, and everybody can take theirs back', async () => {
      const people = upTo(1024).map((n) => `${n}-${'x'.repeat(123)}` as UserId)
      const reactions = people.flatMap((userId, person) =>
        upTo(4).map((n) => ({
          emoji: longestOf(n),
          userId,
          seq: 2 + 4 * person + n,
          on: true,
          changes: 100,
          floor: 1,
        })),
      )
      const attachments = upTo(10).map((n) => ({
        id: `att_1_${n}aaaaaaaa` as AttachmentId,
        key: `attachments/att_1_${n}aaaaaaaa`,
        contentType: 'x'.repeat(100),
        byteSize: 7,
        name: '🎉'.repeat(255),
      }))
      const message = aMessage(aConversation(), 1, { body: '🎉'.repeat(4096), attachments, reactions })
      await fill([message])
      const [one = aUser()] = people
      const aTime = 10_000
      const back = aChange(message, aTime, { type: 'reaction', emoji: longestOf(2), on: false }, { senderId: one })
      expect((await open().alter(back))?.reactions?.at(-1)).toMatchObject({ userId: one, seq: aTime, on: false })
      const late = aChange(message, aTime + 1, thumb(true), { senderId: aUser() })
      expect((await open().alter(late))?.reactions).toHaveLength(reactions.length)
      const edit = aChange(message, aTime + 2, { type: 'edit', body: '👍'.repeat(4096) })
      expect(await open().alter(edit)).toMatchObject({ body: '👍'.repeat(4096) })
    })

    test('that would make the row larger than 400 KB leaves the message as it is', async () => {
      const message = aMessage(aConversation(), 1)
      await fill([message])
      const edit = aChange(message, 2, { type: 'edit', body: 'x'.repeat(410 * 1024) })
      expect(await open().alter(edit)).toEqual(message)
      expect(await open().get(message)).toEqual(message)
    })

    describe('that edits keeps its text only while it shows', () => {
      const textAt = async (conversationId: ConversationId, seq: number) => {
        const row = await open().get({ conversationId, seq })
        return row?.kind === 'change' && row.alteration.type === 'edit' ? row.alteration.body : undefined
      }
      const anEdited = async (...bodies: string[]) => {
        const message = aMessage(aConversation(), 1)
        const edits = bodies.map((body, i) => aChange(message, i + 2, { type: 'edit', body }))
        await fill([message, ...edits])
        return { message, edits, id: message.conversationId }
      }

      test('not once another has taken its place', async () => {
        const { edits, id } = await anEdited('second', 'third')
        for (const edit of edits) await open().alter(edit)
        expect([await textAt(id, 2), await textAt(id, 3)]).toEqual(['', 'third'])
      })

      test('not where a later one came first', async () => {
        const { edits, id } = await anEdited('second', 'third')
        for (const edit of edits.toReversed()) await open().alter(edit)
        expect([await textAt(id, 2), await textAt(id, 3)]).toEqual(['', 'third'])
      })

      test('not where there is no room for it, and without it it is never applied', async () => {
        const file = { id: 'att_1_aaaaaaaa' as AttachmentId, key: 'attachments/att_1_aaaaaaaa', byteSize: 7 }
        const attachments = [{ ...file, contentType: 'image/png', name: 'x'.repeat(380 * 1024) }]
        const message = aMessage(aConversation(), 1, { attachments })
        const edit = aChange(message, 2, { type: 'edit', body: 'x'.repeat(30 * 1024) })
        await fill([message, edit])
        expect(await open().alter(edit)).toEqual(message)
        expect(await textAt(message.conversationId, 2)).toBe('')
        const stripped = await open().get(edit)
        if (stripped?.kind !== 'change') expect.fail()
        expect(await open().alter(stripped)).toEqual(message)
        expect(await open().get(message)).toEqual(message)
      })

      test('not once the message is deleted, also where it comes after that', async () => {
        const { message, edits, id } = await anEdited('second', 'third', 'fourth')
        const [second, third, fourth] = edits
        if (!second || !third || !fourth) expect.fail()
        for (const edit of [second, third]) await open().alter(edit)
        await open().alter(aChange(message, 5, { type: 'delete' }))
        expect(await open().alter(fourth)).toMatchObject({ body: '' })
        expect([await textAt(id, 2), await textAt(id, 3), await textAt(id, 4)]).toEqual(['', '', ''])
      })
    })

    test('of nothing, or of what is no message, changes nothing', async () => {
      const message = aMessage(aConversation(), 1)
      expect(await open().alter(aChange(message, 2, { type: 'delete' }))).toBeUndefined()
      expect(await open().get(message)).toBeUndefined()
      const skipped = aVoid(message.conversationId, 1)
      await fill([skipped])
      expect(await open().alter(aChange(message, 2, thumb(true)))).toBeUndefined()
      expect(await open().get(skipped)).toEqual(skipped)
    })

    test('is not counted as unread', async () => {
      const message = aMessage(aConversation(), 1)
      await fill([message, aChange(message, 2, { type: 'edit', body: 'x' }), aMessage(message.conversationId, 3)])
      expect(await countOf(message.conversationId, 0, aUser(), 100)).toBe(2)
    })

    test('that deletes a message takes it from what is unread', async () => {
      const message = aMessage(aConversation(), 1)
      const deletion = aChange(message, 3, { type: 'delete' })
      await fill([message, aMessage(message.conversationId, 2), deletion])
      await open().alter(deletion)
      expect(await countOf(message.conversationId, 0, aUser(), 100)).toBe(1)
    })
  })
}

const place = ({ conversationId, seq }: Pick<LogRow, 'conversationId' | 'seq'>) => `${conversationId} ${seq}`
