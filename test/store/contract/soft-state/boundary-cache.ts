import { expect, test } from 'vitest'
import type { MemberAddress } from '../../../../src/ports/delivery.ts'
import type { Boundaries } from '../../../../src/protocol/ticks.ts'
import { aConversation, aMessage, aUser } from '../../../kit/ids.ts'
import type { SoftWorld } from '../../../kit/soft-worlds.ts'

export function boundaryCacheContract(world: () => SoftWorld): void {
  const here = () => world().here.boundaryCache
  const there = () => world().there.boundaryCache
  const aMember = (): MemberAddress => ({ userId: aUser(), conversationId: aConversation() })
  const at = (lastDeliveredSeq: number, lastReadSeq: number) => ({ lastDeliveredSeq, lastReadSeq })

  /** A sender has written a pending row for the member, and publishes that. */
  const pendingWritten = ({ userId, conversationId }: MemberAddress) =>
    world().there.events.publishEntry({
      entry: aMessage(conversationId, 1),
      members: [userId],
      pendingWritten: [userId],
    })
  /** A caller has looked for the row, and there was none. */
  const liftAfterLooking = async (member: MemberAddress, boundaries: Boundaries) =>
    here().lift(member, boundaries, (await here().open(member)).pendingVersion)
  const versionOf = async (member: MemberAddress) => (await there().get(member))?.pendingVersion

  const flagged = async (member = aMember()) => {
    const session = { userId: member.userId, connectionId: 'phone' }
    await world().here.sessions.attach(session)
    await world().here.sessions.leave(session)
    await world().here.sessions.setPendingIndexComplete(member.userId)
    return member
  }
  const isFlagSet = async ({ userId }: MemberAddress) =>
    (await world().here.sessions.attach({ userId, connectionId: 'laptop' })).pendingIndexComplete

  test('whoever notes a pending row down learns of an ack that came before, and a later ack of the row', async () => {
    const member = aMember()
    await liftAfterLooking(member, at(5, 3))
    expect(await versionOf(member)).toBe(0)
    expect(await there().notePending(member)).toBe(5)
    expect(await versionOf(member)).not.toBe(0)
    expect(await here().notePending(aMember())).toBe(0)
  })

  test('at first there is none', async () => {
    const member = aMember()
    expect(await here().get(member)).toBeUndefined()
    const { lastReadSeq, pendingVersion } = await here().open(member)
    expect(lastReadSeq).toBe(0)
    expect(pendingVersion).toBeGreaterThan(0)
    expect(await here().get(member)).toBeUndefined()
  })

  test('somebody who saw neither a cache entry nor a row makes an entry that says so', async () => {
    const member = aMember()
    await liftAfterLooking(member, at(5, 3))
    expect(await there().get(member)).toEqual({ lastDeliveredSeq: 5, lastReadSeq: 3, pendingVersion: 0 })
    expect(await there().open(member)).toEqual({ lastReadSeq: 3, pendingVersion: 0 })
  })

  test('somebody who did not look makes one that says there may be a row', async () => {
    const member = aMember()
    await here().lift(member, at(5, 3))
    expect(await there().get(member)).toMatchObject({ lastDeliveredSeq: 5, lastReadSeq: 3 })
    expect(await versionOf(member)).toBeGreaterThan(0)
  })

  test('each boundary is lifted by itself, and never lowered', async () => {
    const member = aMember()
    await liftAfterLooking(member, at(5, 3))
    await there().lift(member, at(9, 1))
    expect(await here().get(member)).toMatchObject(at(9, 3))
    await there().lift(member, at(4, 4))
    expect(await here().get(member)).toMatchObject(at(9, 4))
  })

  test('members and conversations are told apart', async () => {
    const member = aMember()
    await liftAfterLooking(member, at(5, 3))
    expect(await here().get({ ...member, userId: aUser() })).toBeUndefined()
    expect(await here().get({ ...member, conversationId: aConversation() })).toBeUndefined()
  })

  test('every pending row that is written changes the version', async () => {
    const member = aMember()
    await liftAfterLooking(member, at(0, 0))
    await pendingWritten(member)
    const first = await versionOf(member)
    await pendingWritten(member)
    const second = await versionOf(member)
    expect(first).toBeGreaterThan(0)
    expect(second).toBeGreaterThan(Number(first))
  })

  test('a row that was seen to be gone at its version is gone', async () => {
    const member = aMember()
    await liftAfterLooking(member, at(0, 0))
    await pendingWritten(member)
    await here().lift(member, at(1, 0), await versionOf(member))
    expect(await there().get(member)).toEqual({ ...at(1, 0), pendingVersion: 0 })
  })

  test('not if another was written meanwhile', async () => {
    const member = aMember()
    await liftAfterLooking(member, at(0, 0))
    await pendingWritten(member)
    const seen = await versionOf(member)
    await pendingWritten(member)
    await here().lift(member, at(1, 0), seen)
    expect(await versionOf(member)).toBeGreaterThan(Number(seen))
  })

  test('nor if one was written since there was none', async () => {
    const member = aMember()
    await liftAfterLooking(member, at(0, 0))
    const { pendingVersion } = await here().open(member)
    expect(pendingVersion).toBe(0)
    await pendingWritten(member)
    await here().lift(member, at(1, 0), pendingVersion)
    expect(await versionOf(member)).toBeGreaterThan(0)
  })

  test('nor if it was gone and another came, though only once each', async () => {
    const member = aMember()
    await liftAfterLooking(member, at(0, 0))
    await pendingWritten(member)
    const seen = await versionOf(member)
    await there().lift(member, at(1, 0), seen)
    await pendingWritten(member)
    await here().lift(member, at(1, 0), seen)
    expect(await versionOf(member)).toBeGreaterThan(0)
  })

  test('a row written where nothing is cached does not count as cached boundaries, but whoever looked before cannot deny it', async () => {
    const member = aMember()
    const { pendingVersion } = await here().open(member)
    await pendingWritten(member)
    expect(await here().get(member)).toBeUndefined()
    await here().lift(member, at(1, 0), pendingVersion)
    expect(await there().get(member)).toMatchObject(at(1, 0))
    expect(await versionOf(member)).toBeGreaterThan(0)
  })

  test('forgotten between look and lift, it begins anew as unknown', async () => {
    const member = aMember()
    await liftAfterLooking(member, at(0, 0))
    await pendingWritten(member)
    const seen = await versionOf(member)
    await world().forget()
    await here().lift(member, at(1, 0), seen)
    expect(await versionOf(member)).toBeGreaterThan(Number(seen))
  })

  test('a row that was written and forgotten between look and lift is not denied', async () => {
    for (const isKnown of [false, true]) {
      const member = aMember()
      if (isKnown) await liftAfterLooking(member, at(0, 0))
      const { pendingVersion } = await here().open(member)
      await pendingWritten(member)
      await world().forget()
      await here().lift(member, at(1, 0), pendingVersion)
      expect(await versionOf(member)).toBeGreaterThan(0)
    }
  })

  test('a version does not come back after everything was forgotten', async () => {
    const member = aMember()
    await pendingWritten(member)
    await here().lift(member, at(0, 0))
    const seen = await versionOf(member)
    await world().forget()
    await pendingWritten(member)
    await here().lift(member, at(1, 0), seen)
    expect(await versionOf(member)).toBeGreaterThan(0)
  })

  test('publishing without a written row changes nothing', async () => {
    const { userId, conversationId } = aMember()
    await liftAfterLooking({ userId, conversationId }, at(0, 0))
    await world().there.events.publishEntry({ entry: aMessage(conversationId, 1), members: [userId] })
    expect(await versionOf({ userId, conversationId })).toBe(0)
  })

  test('opening drops the flag where nothing is known', async () => {
    const member = await flagged()
    await here().open(member)
    expect(await isFlagSet(member)).toBe(false)
  })

  test('opening drops the flag where there may be a row', async () => {
    const member = aMember()
    await liftAfterLooking(member, at(0, 0))
    await flagged(member)
    await pendingWritten(member)
    await here().open(member)
    expect(await isFlagSet(member)).toBe(false)
  })

  test('opening leaves the flag where there is no row', async () => {
    const member = aMember()
    await liftAfterLooking(member, at(0, 0))
    await flagged(member)
    await here().open(member)
    expect(await isFlagSet(member)).toBe(true)
  })

  test('looking and lifting leave the flag alone', async () => {
    const member = await flagged()
    await here().get(member)
    await here().lift(member, at(0, 0))
    expect(await isFlagSet(member)).toBe(true)
  })
}
