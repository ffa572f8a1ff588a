import { expect, test } from 'vitest'
import { createRespReader, Push, ReplyError, type RespValue, respCommand } from '../../../src/engine/redis/resp.ts'

const wire = [
  '+OK\r\n',
  '-MOVED 12 127.0.0.1:7000\r\n',
  ':42\r\n',
  '$-1\r\n',
  '_\r\n',
  '$9\r\nnaïve\r\n🎉'.replace('$9', '$12'),
  '\r\n',
  '*2\r\n:1\r\n*1\r\n$1\r\na\r\n',
  '%1\r\n+role\r\n+master\r\n',
  '>3\r\n$8\r\nsmessage\r\n$1\r\nc\r\n$4\r\na\r\nb\r\n',
].join('')

const values: RespValue[] = [
  'OK',
  new ReplyError('MOVED 12 127.0.0.1:7000'),
  42,
  null,
  null,
  'naïve\r\n🎉',
  [1, ['a']],
  ['role', 'master'],
  new Push(['smessage', 'c', 'a\r\nb']),
]

function readAll(chunks: readonly Buffer[]): RespValue[] {
  const read: RespValue[] = []
  const reader = createRespReader((value) => read.push(value))
  for (const chunk of chunks) reader(chunk)
  return read
}

test('values are read wherever the bytes were split', () => {
  const bytes = Buffer.from(wire)
  for (let at = 0; at <= bytes.length; at += 1)
    expect(readAll([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(values)
  expect(readAll(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(values)
})

test('a command is an array of its bytes', () => {
  expect(respCommand(['SSUBSCRIBE', 'ï'])).toBe('*2\r\n$10\r\nSSUBSCRIBE\r\n$2\r\nï\r\n')
})
