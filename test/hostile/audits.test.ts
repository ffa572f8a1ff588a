// What the specification of GraphQL over HTTP asks of a server, as its own audits see it.

import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Config } from '../../src/config.ts'
import { startWorld, type World } from '../kit/world.ts'

const modes: [string, Partial<Config>][] = [
  ['in development', { graphiql: true }],
  ['in production', { production: true }],
]

describe.each(modes)('a node %s', (_mode, config) => {
  let world: World
  beforeAll(async () => {
    world = await startWorld({ config })
  })
  afterAll(() => world.stop())

  const audits = serverAudits({ url: () => `${world.url()}/graphql` })

  it('is held to all of the audits', () => {
    expect(audits).toHaveLength(61)
  })

  it.each(audits)('$id: it $name', async ({ fn }) => {
    const result = await fn()
    await ('response' in result ? result.response.text() : undefined)
    expect(result).toMatchObject({ status: 'ok' })
  })
})
