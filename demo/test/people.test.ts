import { expect, test } from 'vitest'
import { isUserId } from '../../src/protocol/ids.ts'
import { personMeant, userIdFor } from '../src/people.ts'

test.each([
  ['Grace Hopper', 'grace-hopper'],
  ['  Zoë  ', 'zoe'],
  ['Alice', 'alice'],
  ['a@b.example', 'a@b.example'],
  ['dm_x', 'u-dm_x'],
  ['李', '674e'],
  ['!?', '21-3f'],
])('%s becomes %s', (name, id) => {
  expect(userIdFor(name)).toBe(id)
  expect(isUserId(id)).toBe(true)
})

test('nothing becomes nobody; everything else is an id', () => {
  expect(userIdFor('')).toBeUndefined()
  expect(userIdFor(' \n')).toBeUndefined()
  for (const name of ['x'.repeat(500), '-', '🎉'.repeat(60), 'msg_1', 'grp_'])
    expect(isUserId(userIdFor(name))).toBe(true)
})

test('an id is taken as it is, a name by who has it', () => {
  expect(personMeant('Bob')).toBe('bob')
  expect(personMeant('User|42')).toBe('User|42')
  expect(personMeant('Grace Hopper')).toBe('grace-hopper')
  expect(personMeant(' ')).toBeUndefined()
})
