import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MalformedAnswerError, ResponseReader } from '../../../src/engine/dynamodb/http-response.ts'

/** Reads the text in pieces of these sizes, and then the end of the connection. */
function read(text: string | Buffer, sizes: readonly number[] = []) {
  const reader = new ResponseReader()
  reader.begin()
  const bytes = Buffer.from(text as string)
  // As it is on connections: one piece of memory, with what was read before behind what is read now.
  const shared = Buffer.alloc(bytes.length + 64, '\r\n\r\n')
  let isComplete = false
  for (let at = 0, i = 0; at < bytes.length && !isComplete; i += 1) {
    const piece = bytes.subarray(at, at + (sizes[i % sizes.length] ?? bytes.length))
    shared.set(piece)
    isComplete = reader.read(shared, piece.length)
    at += piece.length
  }
  isComplete ||= reader.readEnd()
  if (!isComplete) return undefined
  const { status, isLast, keepAliveMs } = reader
  return { status, body: reader.body.toString(), isLast, keepAliveMs, header: reader.header }
}

const head = (...lines: string[]) => `${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`
const content = '{"Item":{"name":{"S":"Zoë 👍"}}}'
const length = Buffer.byteLength(content)
const hex = (bytes: number) => bytes.toString(16)

const answers: [name: string, text: string, expected: object][] = [
  ['of known length', `${head(`Content-Length: ${length}`)}${content}`, { status: 200, body: content, isLast: false }],
  ['without content', head('content-length: 0'), { body: '' }],
  [
    'in chunks',
    `${head('Transfer-Encoding: chunked')}8;a=b\r\n{"Item":\r\n${hex(length - 8)}\r\n${content.slice(8)}\r\n0\r\n\r\n`,
    { body: content, isLast: false },
  ],
  [
    'in chunks, with a trailer',
    `${head('transfer-encoding: chunked')}${hex(length).toUpperCase()} \r\n${content}\r\n00\r\nx-amz-crc32: 1\r\n\r\n`,
    { body: content },
  ],
  ['that ends with the connection', `${head('connection: close')}${content}`, { body: content, isLast: true }],
  [
    'after others that only announce it',
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${head(`content-length: ${length}`)}${content}`,
    { status: 200, body: content },
  ],
  ['that can have no content', 'HTTP/1.1 204 No Content\r\nx: y\r\n\r\n', { status: 204, body: '', isLast: false }],
  [
    'that closes',
    `${head('Connection: Close', `content-length:${length}`)}${content}`,
    { body: content, isLast: true },
  ],
  [
    'by HTTP/1.0',
    `HTTP/1.0 500 Trouble\r\ncontent-length:  ${length} \r\n\r\n${content}`,
    { status: 500, body: content, isLast: true },
  ],
  [
    'by HTTP/1.0, which stays',
    `HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: ${length}\r\n\r\n${content}`,
    { body: content, isLast: false },
  ],
  [
    'that says how long it stays',
    `${head('Keep-Alive: timeout=5, max=9', 'content-length: 2')}{}`,
    { body: '{}', keepAliveMs: 5000 },
  ],
  ['without a reason', 'HTTP/1.1 400\r\ncontent-length: 2\r\n\r\n{}', { status: 400, body: '{}' }],
]

describe('an answer', () => {
  test.each(answers)('%s is read, at once or byte by byte or cut anywhere', (_name, text, expected) => {
    expect(read(text)).toMatchObject(expected)
    expect(read(text, [1])).toMatchObject(expected)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sizes) => {
        expect(read(text, sizes)).toMatchObject(expected)
      }),
    )
  })

  test.each(answers)('%s is none where it ends early', (_name, text, { isLast }: { isLast?: boolean }) => {
    const isUntilClose = isLast && !/content-length/i.test(text)
    const end = isUntilClose ? text.indexOf('\r\n\r\n') + 3 : Buffer.byteLength(text) - 1
    for (let at = 0; at <= end; at += 1) expect(read(Buffer.from(text).subarray(0, at))).toBeUndefined()
  })

  test('has its headers, however they are written', () => {
    const answer = read(head('X-Amz-Crc32:  7 ', 'Date: Tue, 17 Nov 2026 00:00:00 GMT', 'empty:', 'content-length: 0'))
    expect(answer?.header('x-amz-crc32')).toBe('7')
    expect(answer?.header('date')).toBe('Tue, 17 Nov 2026 00:00:00 GMT')
    expect(answer?.header('empty')).toBe('')
    expect(answer?.header('amz-crc32')).toBeUndefined()
  })

  test('with something behind it is the last one of its connection', () => {
    expect(read(`${head('content-length: 2')}{}{`)).toMatchObject({ body: '{}', isLast: true })
    expect(read(`${head('transfer-encoding: chunked')}2\r\n{}\r\n0\r\n\r\nH`)).toMatchObject({
      body: '{}',
      isLast: true,
    })
  })

  test.each([
    ['no HTTP', '<html>Welcome to nginx!</html>'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['another version', 'HTTP/2 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['no status', 'HTTP/1.1 OK\r\ncontent-length: 0\r\n\r\n'],
    ['an odd status', 'HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n'],
    ['another protocol from now on', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n'],
    ['a header without a name', head(': x', 'content-length: 0')],
    ['a header without a colon', head('content-length 0', 'x: y')],
    ['a blank before the colon', head('content-length : 0')],
    ['a bare line feed', 'HTTP/1.1 200 OK\r\nx: y\ncontent-length: 0\r\n\r\n'],
    ['a negative length', head('content-length: -1')],
    ['a length that is no number', head('content-length: 0x10')],
    ['two lengths', head('content-length: 2', 'content-length: 2')],
    ['a length and chunks', head('content-length: 2', 'transfer-encoding: chunked')],
    ['chunks and a length', head('transfer-encoding: chunked', 'content-length: 2')],
    ['an encoding nobody asked for', head('transfer-encoding: gzip, chunked')],
    ['a chunk without a size', `${head('transfer-encoding: chunked')}\r\n{}`],
    ['a chunk of an odd size', `${head('transfer-encoding: chunked')}-2\r\n{}\r\n`],
    ['a chunk that is longer than it says', `${head('transfer-encoding: chunked')}1\r\n{}\r\n0\r\n\r\n`],
    ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(17_000)}`],
    ['a head that is too long', head(`x: ${'y'.repeat(17_000)}`, 'content-length: 0')],
    ['a line without an end', `${head('transfer-encoding: chunked')}1;${'y'.repeat(17_000)}`],
  ])('is none with %s', (_name, text) => {
    expect(() => read(text)).toThrow(MalformedAnswerError)
    expect(() => read(text, [97])).toThrow(MalformedAnswerError)
  })

  test('is none, and nothing worse, with any garbage', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('HTTP/1.1 200 OK', '\r\n', ': ', 'content-length: 3'),
    )
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 1, max: 50 }), (pieces, size) => {
        try {
          read(pieces.join(''), [size])
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedAnswerError)
        }
      }),
    )
  })
})
