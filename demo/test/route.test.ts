import { expect, test } from 'vitest'
import { hrefOf, type Route, readRoute, routeTo } from '../src/route.ts'

test.each<Route>([
  {},
  { as: 'alice' },
  { as: 'alice', with: 'bob' },
  { as: 'zoe', name: 'Zoë & Co', with: 'user|4:2@x' },
  { as: 'alice', chat: 'grp_12' },
])('%j is the same after a reload', (route) => {
  expect(readRoute(hrefOf(route).slice(1))).toEqual(route)
})

test('what cannot be is left out', () => {
  expect(readRoute('?as=dm_x&with=bob')).toEqual({})
  expect(readRoute('?as=alice&with=a%20b')).toEqual({ as: 'alice' })
  expect(readRoute('?as=alice&chat=..%2F')).toEqual({ as: 'alice' })
})

test('going elsewhere one stays who one is', () => {
  expect(routeTo({ as: 'zoe', name: 'Zoë', with: 'bob' }, { chat: 'grp_1' })).toEqual({
    as: 'zoe',
    name: 'Zoë',
    chat: 'grp_1',
  })
})
