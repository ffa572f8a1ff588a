import { createRequire } from 'node:module'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSign } from '../../../src/engine/dynamodb/signature.ts'
import type { Credentials } from '../../../src/engine/dynamodb/wire.ts'

type Aws4 = {
  sign(
    request: {
      service: string
      region: string
      host: string
      path: string
      method: string
      headers: Record<string, string>
      body: string
      extraHeadersToIgnore: Record<string, boolean>
    },
    credentials: Credentials,
  ): { headers: Record<string, string> }
}
const aws4 = createRequire(import.meta.url)('aws4') as Aws4

const word = fc.stringMatching(/^[A-Za-z0-9/+=]{1,40}$/)
const region = fc.constantFrom('us-east-1', 'eu-central-1', 'cn-north-1')
const endpoint = fc.constantFrom(
  'https://dynamodb.us-east-1.amazonaws.com/',
  'http://127.0.0.1:8000/',
  'http://[::1]:8000/',
  'http://Db.Example.com:80/',
  'https://gate.example.com/dynamo db/v1/',
)
const credentials = fc.record(
  { accessKeyId: word, secretAccessKey: word, sessionToken: word },
  { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
)
const request = fc.record({
  target: fc.constantFrom('DynamoDB_20120810.PutItem', 'DynamoDB_20120810.Query'),
  text: fc.string({ unit: 'grapheme', maxLength: 300 }),
  credentials,
  atMs: fc.date({ min: new Date('2015-01-01'), max: new Date('2045-01-01'), noInvalidDate: true }).map(Number),
})

test('requests are signed as aws4 signs them, whatever was signed before', () => {
  fc.assert(
    fc.property(endpoint, region, fc.array(request, { minLength: 1, maxLength: 8 }), (place, where, requests) => {
      const url = new URL(place)
      const sign = createSign({ url, region: where })
      for (const { target, text, credentials, atMs } of requests) {
        const headers = sign({ target, body: Buffer.from(text), credentials, atMs })
        const { authorization, 'x-amz-date': date = '', ...others } = headers
        const expected = aws4.sign(
          {
            service: 'dynamodb',
            region: where,
            host: url.host,
            path: url.pathname,
            method: 'POST',
            headers: { ...others, 'X-Amz-Date': date },
            body: text,
            extraHeadersToIgnore: { 'content-length': true },
          },
          credentials,
        )
        expect(authorization).toBe(expected.headers.Authorization)
      }
    }),
    { numRuns: 500 },
  )
})

test('the date is that of the request, to the second', () => {
  const sign = createSign({ url: new URL('http://127.0.0.1/'), region: 'us-east-1' })
  const atMs = Date.UTC(2026, 1, 3, 4, 5, 6, 789)
  const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' }
  expect(sign({ target: 'x', body: Buffer.from(''), credentials, atMs })['x-amz-date']).toBe('20260203T040506Z')
})
