// The audits of the specification of GraphQL over HTTP check here what it asks of a server.

import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { startWorld, type World } from '../kit/world.ts'

const modes: [string, Partial<Config>][] = [
  ['in development', { graphiql: true }],
  ['in production with introspection', { production: true, introspection: true }],
  ['in production', { production: true, introspection: false }],
]

/** To see whether variables arrive, these ask for a type by its name: that is introspection, and nothing else of them fails. */
const introspecting = ['2EA1', '28B9', 'D6D5', '6A70']

describe.each(modes)('a node %s', (_mode, config) => {
  let world: World
  beforeAll(async () => {
    world = await startWorld({ config })
  })
  afterAll(() => world.stop())

  const audits = serverAudits({ url: () => `${world.url()}/graphql` })
  const isHeldTo = ({ id }: { id: string }) => config.introspection !== false || !introspecting.includes(id)

  it('is held to all of the audits', () => {
    expect(audits).toHaveLength(61)
    expect(audits.filter(({ id }) => introspecting.includes(id))).toHaveLength(introspecting.length)
  })

  it.each(audits.filter(isHeldTo))('$id: it $name', async ({ fn }) => {
    const result = await fn()
    if ('response' in result && !result.response.bodyUsed) await result.response.text()
    expect(result).toMatchObject({ status: 'ok' })
  })

  const others = audits.filter((audit) => !isHeldTo(audit))
  it.runIf(others.length > 0).each(others)('$id: it says that introspection is off', async ({ fn }) => {
    const result = await fn()
    if (!('response' in result)) expect.fail('It passed.')
    const clone = result.response.bodyUsed ? undefined : await result.response.text()
    expect(clone ?? result.reason).toContain('introspection')
  })
})
