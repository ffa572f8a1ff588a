import { describe, expect, it } from 'vitest'
import { createTicks } from '../../../packages/client/src/state/ticks.ts'
import { boundary } from '../kit.ts'

function start() {
  const ticks = createTicks('alice')
  const changes: string[] = []
  ticks.onChange((id) => changes.push(id))
  return { ticks, changes, tick: (seq: number, id = 'dm_1') => ticks.stateOf(id).tickOf(seq) }
}

describe('a tick', () => {
  it('follows from how far the other has got', () => {
    const { ticks, tick } = start()
    ticks.raise(boundary('alice', 9, 9), boundary('bob', 0))
    expect(tick(1)).toBe('SENT')
    ticks.raise(boundary('bob', 3, 2))
    expect([1, 2, 3, 4].map((seq) => tick(seq))).toEqual(['READ', 'READ', 'DELIVERED', 'SENT'])
  })

  it('in a group is that of the slowest', () => {
    const { ticks, tick } = start()
    ticks.raise(boundary('alice', 0), boundary('bob', 5, 5), boundary('carol', 3, 1))
    expect([1, 2, 3, 4].map((seq) => tick(seq))).toEqual(['READ', 'DELIVERED', 'DELIVERED', 'SENT'])
  })

  it('of a note to oneself is READ: there is nobody to wait for', () => {
    const { ticks, tick } = start()
    ticks.raise(boundary('alice', 0))
    expect(tick(1)).toBe('READ')
  })

  it('is SENT while nothing is known of the conversation', () => {
    const { ticks, tick } = start()
    ticks.raise(boundary('bob', 9, 9, 'dm_2'))
    expect(tick(1)).toBe('SENT')
  })

  it('never shows more than was reached, however the boundaries of a conversation come in', () => {
    const { ticks, tick } = start()
    const seen: string[] = []
    ticks.onChange((id) => seen.push(tick(1, id)))
    ticks.raise(boundary('alice', 1, 1), boundary('bob', 1), boundary('carol', 0))
    expect(seen).toEqual(['SENT'])
  })
})

describe('what is known of some members only', () => {
  it('is no tick yet: somebody may be slower', () => {
    const { ticks, tick } = start()
    ticks.raise(boundary('bob', 5, 5))
    expect(tick(1)).toBe('SENT')
    ticks.raise(boundary('alice', 0), boundary('bob', 3), boundary('carol', 2))
    expect(tick(1)).toBe('DELIVERED')
    ticks.raise(boundary('carol', 2, 2))
    expect(tick(1)).toBe('READ')
  })
})

describe('a boundary', () => {
  it('never sinks, each of the two for itself', () => {
    const { ticks, changes } = start()
    ticks.raise(boundary('bob', 5, 2))
    ticks.raise(boundary('bob', 3, 3))
    expect(ticks.of('dm_1')).toEqual([boundary('bob', 5, 3)])
    ticks.raise(boundary('bob', 6, 1))
    expect(ticks.of('dm_1')).toEqual([boundary('bob', 6, 3)])
    expect(changes).toEqual(['dm_1', 'dm_1', 'dm_1'])
  })

  it('that brings nothing new changes nothing', () => {
    const { ticks, changes } = start()
    ticks.raise(boundary('bob', 5, 2))
    const before = ticks.stateOf('dm_1')
    ticks.raise(boundary('bob', 5, 2))
    ticks.raise(boundary('bob', 4, 1))
    expect(changes).toEqual(['dm_1'])
    expect(ticks.stateOf('dm_1')).toBe(before)
  })

  it('that rises makes a new state, of its own conversation only', () => {
    const { ticks } = start()
    ticks.raise(boundary('bob', 1), boundary('bob', 1, 0, 'dm_2'))
    const [first, second] = [ticks.stateOf('dm_1'), ticks.stateOf('dm_2')]
    ticks.raise(boundary('bob', 2))
    expect(ticks.stateOf('dm_1')).not.toBe(first)
    expect(ticks.stateOf('dm_2')).toBe(second)
  })

  it('is forgotten by a reset', () => {
    const { ticks, tick } = start()
    ticks.raise(boundary('alice', 0), boundary('bob', 5, 5))
    expect(tick(1)).toBe('READ')
    ticks.reset()
    expect(tick(1)).toBe('SENT')
    ticks.raise(boundary('alice', 0), boundary('bob', 1))
    expect(tick(1)).toBe('DELIVERED')
  })
})

describe('a member who has left', () => {
  it('is not waited for any more', () => {
    const { ticks, tick, changes } = start()
    ticks.know('dm_1', [boundary('alice', 0), boundary('bob', 5, 5), boundary('carol', 0)])
    expect(tick(1)).toBe('SENT')
    ticks.know('dm_1', [boundary('alice', 0), boundary('bob', 5, 5)])
    expect(tick(1)).toBe('READ')
    expect(ticks.of('dm_1').map(({ userId }) => userId)).toEqual(['alice', 'bob'])
    expect(changes).toEqual(['dm_1', 'dm_1'])
  })

  it('takes nothing with them: the boundaries of the others only rise', () => {
    const { ticks, tick } = start()
    ticks.know('dm_1', [boundary('alice', 0), boundary('bob', 5, 5), boundary('carol', 0)])
    ticks.know('dm_1', [boundary('alice', 0), boundary('bob', 2, 2)])
    expect(tick(5)).toBe('READ')
  })
})

describe('a conversation somebody looks at', () => {
  it('is watched as long as one of them looks', () => {
    const { ticks } = start()
    const seen: (readonly string[])[] = []
    ticks.watched.ids.subscribe(() => seen.push(ticks.watched.ids.get()))
    const stops = [ticks.watched.watch('dm_1'), ticks.watched.watch('dm_1'), ticks.watched.watch('dm_2')]
    stops[0]?.()
    stops[1]?.()
    stops[2]?.()
    expect(seen).toEqual([['dm_1'], ['dm_1', 'dm_2'], ['dm_2'], []])
  })

  it('is watched on by the others when one of them stops twice', () => {
    const { ticks } = start()
    const stop = ticks.watched.watch('dm_1')
    ticks.watched.watch('dm_1')
    stop()
    stop()
    expect(ticks.watched.ids.get()).toEqual(['dm_1'])
  })
})
