import { expect, test } from 'vitest'
import { elsewhere, hrefOf, type Place, readPlace } from '../src/place.ts'

test.each<Place>([
  {},
  { as: 'alice' },
  { as: 'alice', with: 'bob' },
  { as: 'zoe', name: 'Zoë & Co', with: 'user|4:2@x' },
  { as: 'alice', chat: 'grp_12' },
])('%j is the same after a reload', (place) => {
  expect(readPlace(hrefOf(place).slice(1))).toEqual(place)
})

test('what cannot be is left out', () => {
  expect(readPlace('?as=dm_x&with=bob')).toEqual({})
  expect(readPlace('?as=alice&with=a%20b')).toEqual({ as: 'alice' })
  expect(readPlace('?as=alice&chat=..%2F')).toEqual({ as: 'alice' })
})

test('going elsewhere one stays who one is', () => {
  expect(elsewhere({ as: 'zoe', name: 'Zoë', with: 'bob' }, { chat: 'grp_1' })).toEqual({
    as: 'zoe',
    name: 'Zoë',
    chat: 'grp_1',
  })
})
