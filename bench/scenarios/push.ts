import { createECDH, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPerson, type Person } from '../../test/kit/person.ts'
import type { Scenario } from '../bench.ts'
import { startServer } from '../machine/started-server.ts'
import { createSheet, quantile } from '../sheet.ts'

const rounds = 8
const sendsARound = 100

/**
 * Sends to people who are away and have a device, while the push service takes every connection and answers none; against sends to
 * people who are away and have none. The rounds of the two alternate.
 */
export const pushWhileProviderIsDown: Scenario = async () => {
  const provider = await startSilentService()
  const server = await startServer()
  try {
    const [alice, bob, carol] = await Promise.all(
      ['alice', 'bob', 'carol'].map((userId) => createPerson(userId, server.url)),
    )
    if (!alice || !bob || !carol) throw new Error('Account is missing.')
    await register(bob, provider.url)
    const [withDevice, without]: [number[], number[]] = [[], []]
    await round(alice, carol)
    await round(alice, bob)
    for (let i = 0; i < rounds; i += 1) {
      withDevice.push(...(await round(alice, bob)))
      without.push(...(await round(alice, carol)))
    }
    const sheet = createSheet()
    for (const share of [0.5, 0.9, 0.99]) {
      const what = `push: send while its service is silent, p${100 * share}`
      sheet.add(what, 'with a device', 'ms', quantile(withDevice, share), 'without')
      sheet.add(what, 'without', 'ms', quantile(without, share), 'without')
    }
    return sheet.measured()
  } finally {
    await server.stop()
    await provider.stop()
  }
}

/** Returns how long each send took to be answered. */
async function round(from: Person, to: Person): Promise<number[]> {
  const tookMs: number[] = []
  for (let i = 0; i < sendsARound; i += 1) {
    const beganAtMs = performance.now()
    await from.send(to, `message ${i}`, { via: 'ws' })
    tookMs.push(performance.now() - beganAtMs)
  }
  return tookMs
}

async function register(person: Person, service: string): Promise<void> {
  const browser = createECDH('prime256v1')
  const keys = { p256dh: browser.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
  await person.ask('mutation ($input: RegisterDeviceInput!) { registerDevice(input: $input) { deviceId } }', {
    input: { deviceId: 'browser', platform: 'WEBPUSH', token: JSON.stringify({ endpoint: `${service}/push`, keys }) },
  })
}

async function startSilentService(): Promise<{ url: string; stop(): Promise<void> }> {
  const service = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const { port } = service.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      service.closeAllConnections()
      service.close()
      await once(service, 'close')
    },
  }
}
