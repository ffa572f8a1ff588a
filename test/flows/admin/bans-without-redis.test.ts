import { afterAll, beforeAll, expect, it } from 'vitest'
import type { UserId } from '../../../src/protocol/ids.ts'
import type { Person } from '../../kit/person.ts'
import { waitUntil } from '../../kit/wait-until.ts'
import { startWorld, type World } from '../../kit/world.ts'

// Bans do not depend on what Redis remembers, nor on whether it is there.

let world: World
beforeAll(async () => {
  world = await startWorld({ nodes: 2, app: { deadlines: { redisMs: 2000, operationMs: 20_000 } } })
})
afterAll(() => world.stop())

const ban = ({ userId }: Person) => world.nodes[0]?.parts.domain.restrictions.ban(userId as UserId)
const isRefused = ({ userId }: Person, node: number): boolean =>
  world.nodes[node]?.parts.domain.refused.isBanned(userId as UserId) ?? false
const refusal = { code: 'UNAUTHENTICATED' }

it('who is banned is refused after Redis has forgotten everything, and the next ban is heard', async () => {
  const [mallory, trudy] = [await world.person('mallory', { node: 1 }), await world.person('trudy', { node: 1 })]
  await ban(mallory)
  await waitUntil(async () => isRefused(mallory, 1))
  await world.redis.flush()
  await expect(mallory.ask('{ viewer { id } }')).rejects.toMatchObject(refusal)
  await ban(trudy)
  await waitUntil(async () => isRefused(trudy, 1))
  await expect(trudy.ask('{ viewer { id } }')).rejects.toMatchObject(refusal)
})

it('a ban is found in the table while Redis is away, and closes what is open', async () => {
  const [mallory, alice] = [await world.person('mallory', { node: 1 }), await world.person('alice')]
  await alice.send(mallory, 'hello')
  const stream = mallory.follow()
  await world.online(mallory)
  world.redis.pause()
  try {
    await ban(mallory)
    await waitUntil(async () => isRefused(mallory, 1))
  } finally {
    world.redis.resume()
  }
  expect(await stream.fails()).toMatchObject({ message: 'The socket was closed: 4403 Token invalid' })
})
