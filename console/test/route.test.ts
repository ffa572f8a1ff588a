import { expect, test } from 'vitest'
import { hrefOf, type Route, readRoute } from '../src/route.ts'

test.each<[string, Route]>([
  ['#/users', { view: 'users' }],
  ['#/users/a%40b%7Cc%3Ad', { view: 'users', id: 'a@b|c:d' }],
  ['#/conversations/grp_1?seq=5', { view: 'conversations', id: 'grp_1', at: { seq: '5' } }],
  ['#/reports?state=ALL', { view: 'reports', at: { state: 'ALL' } }],
])('%s is written as it is read', (href, route) => {
  expect(readRoute(href)).toEqual(route)
  expect(hrefOf(route)).toBe(href)
})

test.each([
  ['', {}],
  ['#', {}],
  ['#/nothing/1', {}],
  ['#/users/%', { id: '%' }],
  ['#/users/a/b', { id: 'a/b' }],
])('what somebody has typed leads somewhere: %s', (typed, expected) => {
  expect(readRoute(typed)).toEqual({ view: 'users', ...expected })
})
