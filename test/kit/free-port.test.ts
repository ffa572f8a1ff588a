import { expect, test } from 'vitest'
import { freePort } from './free-port.ts'

test('a port is given out once, also before anybody listens on it', async () => {
  const ports = await Promise.all(Array.from({ length: 100 }, () => freePort([31_700, 31_900])))
  expect(new Set(ports).size).toBe(100)
})
