import { expect, test } from 'vitest'
import { emojiProblem } from '../../src/protocol/emoji.ts'
import { quickReactions } from '../src/conversation/message/reaction-name.ts'
import { nextItem } from '../src/options/menu-keys.ts'
import { menuPosition } from '../src/options/menu-position.ts'

const walk = (from: number, ...keys: string[]) =>
  keys.reduce((at, key) => nextItem(key, at, { inRow: 6, count: 9 }), from)

test.each([
  [0, 'ArrowRight', 1],
  [5, 'ArrowRight', 0],
  [0, 'ArrowLeft', 5],
  [7, 'ArrowRight', 7],
  [2, 'ArrowDown', 6],
  [8, 'ArrowDown', 0],
  [6, 'ArrowUp', 0],
  [8, 'ArrowUp', 7],
  [3, 'ArrowUp', 8],
  [4, 'Home', 0],
  [4, 'End', 8],
  [4, 'x', 4],
])('from %i, %s leads to %i', (from, key, to) => {
  expect(walk(from, key)).toBe(to)
})

test('a menu without a row goes round in both directions', () => {
  expect(nextItem('ArrowUp', 0, { inRow: 0, count: 4 })).toBe(3)
  expect(nextItem('ArrowDown', 3, { inRow: 0, count: 4 })).toBe(0)
  expect(nextItem('ArrowRight', 2, { inRow: 0, count: 4 })).toBe(2)
})

test('every item can be reached, and left', () => {
  expect(walk(0, 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown')).toBe(0)
  expect(nextItem('ArrowDown', 6, { inRow: 6, count: 7 })).toBe(0)
})

const phone = { width: 320, height: 600 }
const menu = { width: 266, height: 200 }
const at = (left: number, top: number) => ({ left, top, right: left + 34, bottom: top + 34 })

test('below its button, on the side of the message', () => {
  const wide = { width: 1200, height: 800 }
  expect(menuPosition(at(500, 100), menu, wide, 'right')).toEqual({ left: 500, top: 138 })
  expect(menuPosition(at(900, 100), menu, wide, 'left')).toEqual({ left: 668, top: 138 })
})

test('above where there is no room below', () => {
  expect(menuPosition(at(500, 500), menu, { width: 1200, height: 600 }, 'right').top).toBe(296)
})

test('never beyond the window', () => {
  expect(menuPosition(at(280, 100), menu, phone, 'right').left).toBe(46)
  expect(menuPosition(at(4, 100), menu, phone, 'left').left).toBe(8)
  expect(menuPosition(at(4, 100), menu, { width: 320, height: 220 }, 'left').top).toBe(8)
})

test('the server takes what the menu offers', () => {
  expect(quickReactions.filter(emojiProblem)).toEqual([])
})
