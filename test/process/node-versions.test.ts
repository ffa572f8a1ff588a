import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { nodeOf, nodeVersions } from '../../scripts/node-binaries.ts'
import { startNodeProcess } from '../kit/nodes/node-process.ts'
import { createPerson, testSecret } from '../kit/person.ts'
import { sharedService } from '../kit/shared-services.ts'

// `npm run with-node` runs more of the suite on these.

it.for(Object.values(nodeVersions))(
  'on Node %s a message is sent and received',
  { timeout: 240_000 },
  async (version, { skip }) => {
    const [found, script] = await Promise.all([nodeOf(version), sharedService('server')])
    if ('missing' in found) return skip(found.missing)
    const dir = await mkdtemp(join(tmpdir(), 'parley-node-'))
    onTestFinished(() => rm(dir, { recursive: true }))
    const settings = { STORE: 'embedded', DATA_DIR: dir, AUTH_JWT_SECRET: testSecret, DRAIN_DELAY_MS: '0' }
    const node = await startNodeProcess(script, settings, undefined, join(found.folder, 'node'))
    onTestFinished(async () => void (await node.stop()))
    const metrics = await (await fetch(`${node.url}/metrics`)).text()
    expect(metrics).toContain(`nodejs_version_info{version="v${version}"`)

    const [alice, bob] = [await createPerson('alice', node.url), await createPerson('bob', node.url)]
    const stream = bob.followLean()
    await alice.send(bob, 'hi', { via: 'rest' })
    expect(await stream.receives(1)).toMatchObject([{ message: { seq: 1, body: 'hi' } }])
    await stream.stop()
    expect([await node.stop(), node.complaints]).toEqual([[0, null], []])
  },
)

it('the image is among them', () => {
  const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8')
  const versions = [...dockerfile.matchAll(/^FROM node:([\d.]+)-/gm)].map(([, version]) => version)
  expect(Object.values(nodeVersions)).toEqual(expect.arrayContaining(versions))
})
