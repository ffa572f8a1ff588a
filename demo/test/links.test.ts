import { expect, test } from 'vitest'
import { splitLinks } from '../src/conversation/message/links.ts'

const linksIn = (text: string) => splitLinks(text).flatMap(({ text, href }) => (href ? [[text, href]] : []))

test.each([
  ['https://a.example', 'https://a.example', 'https://a.example/'],
  ['see http://a.example/b?c=d#e now', 'http://a.example/b?c=d#e', 'http://a.example/b?c=d#e'],
  ['www.a.example/b', 'www.a.example/b', 'https://www.a.example/b'],
  ['HTTPS://A.EXAMPLE/B', 'HTTPS://A.EXAMPLE/B', 'https://a.example/B'],
  ['http://localhost:4000/graphql', 'http://localhost:4000/graphql', 'http://localhost:4000/graphql'],
  ['http://[::1]:4000/', 'http://[::1]:4000/', 'http://[::1]:4000/'],
  ['https://a.example/b.', 'https://a.example/b', 'https://a.example/b'],
  ['https://a.example/b?!…', 'https://a.example/b', 'https://a.example/b'],
  ['(see https://a.example/b).', 'https://a.example/b', 'https://a.example/b'],
  ['https://a.example/b_(c)', 'https://a.example/b_(c)', 'https://a.example/b_(c)'],
  ['(https://a.example/b_(c))', 'https://a.example/b_(c)', 'https://a.example/b_(c)'],
  ['[https://a.example/b]', 'https://a.example/b', 'https://a.example/b'],
  ['"https://a.example/b"', 'https://a.example/b', 'https://a.example/b'],
  ['<https://a.example/b>', 'https://a.example/b', 'https://a.example/b'],
  ['https://bücher.example/ö', 'https://bücher.example/ö', 'https://xn--bcher-kva.example/%C3%B6'],
])('%s holds %s', (text, shown, href) => {
  expect(linksIn(text)).toEqual([[shown, href]])
})

test.each([
  'javascript:alert(1)',
  'data:text/html,hello',
  'file:///etc/passwd',
  'mailto:a@b.example',
  'xhttps://a.example',
  'me@www.a.example',
  'https://',
  'https://.',
  'http://nowhere',
  'https://bank.example@evil.example/',
  'a.example',
])('%s is text', (text) => {
  expect(linksIn(text)).toEqual([])
})

test('the parts are the text again', () => {
  const text = 'One https://a.example/1, two www.b.example;\nthree http://nowhere, and (https://c.example/(d)).  '
  expect(
    splitLinks(text)
      .map(({ text }) => text)
      .join(''),
  ).toBe(text)
  expect(linksIn(text)).toHaveLength(3)
})

test('each bracket of a text is looked at once', () => {
  // A million would take hours if each were compared with all the others.
  const text = `https://a.example/${')'.repeat(1_000_000)}`
  expect(linksIn(text)).toEqual([['https://a.example/', 'https://a.example/']])
})
