import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { SharedServices } from '../shared-services.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    sharedServicesSocket: string
  }
}

type Service = (name: keyof SharedServices) => Promise<Shared<string>>
type Shared<T> = { value: T; stop(): Promise<unknown> }

/** The modules that a service needs are loaded with it, so that a run needs only the tools of the services that it uses. */
const starts: { [Name in keyof SharedServices]: (service: Service) => Promise<Shared<SharedServices[Name]>> } = {
  async dynalite() {
    const { startDynalite } = await import('../services/dynamodb.ts')
    const { endpoint, stop } = await startDynalite()
    return { value: endpoint, stop }
  },
  async dynamoDbLocal() {
    const { startDynamoDbLocal } = await import('../services/dynamodb.ts')
    const { endpoint, stop } = await startDynamoDbLocal()
    return { value: endpoint, stop }
  },
  async server() {
    const { transpileServer } = await import('../nodes/transpile-server.ts')
    const { script, remove } = await transpileServer()
    return { value: script, stop: remove }
  },
  async demoServer() {
    const { buildDemoServer } = await import('../nodes/demo-server.ts')
    const { script, remove } = await buildDemoServer()
    return { value: script, stop: remove }
  },
  async demoNode(service) {
    const { startDemoServer } = await import('../nodes/demo-server.ts')
    const { value: script } = await service('demoServer')
    const { url, crashes, stop } = await startDemoServer(script)
    const stopAndCheck = async () => {
      await stop()
      if (crashes.length > 0) throw new Error(`The shared server has crashed: ${crashes.join('\n')}`)
    }
    return { value: url, stop: stopAndCheck }
  },
  async chromium() {
    const { launchBrowserServer } = await import('../browser.ts')
    const browser = await launchBrowserServer()
    return { value: browser.wsEndpoint(), stop: () => browser.close() }
  },
}

/**
 * Starts what several test files share: each service once per run, when the first file asks for it. A run of files that ask for
 * none starts none. The files ask over a socket in the file system (see shared-services.ts), so that a run without services
 * opens no port either.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<Shared<string>>>()
  const service: Service = (name) => {
    const known = started.get(name) ?? starts[name](service)
    started.set(name, known)
    return known
  }
  // All files, and what they start, put their temporary files here, so that these go with the run, also if it is interrupted.
  const directory = await mkdtemp(join(tmpdir(), 'parley-run-'))
  process.env.TMPDIR = directory
  process.on('exit', () => {
    try {
      rmSync(directory, { recursive: true, force: true, maxRetries: 9 })
    } catch (error) {
      // In a run that is interrupted, what it started may still be writing there.
      console.error(`${directory} is left behind: ${error}`)
    }
  })
  const socket = join(directory, 'services')
  const server = createServer((request, response) => {
    service(request.url?.slice(1) as keyof SharedServices).then(
      ({ value }) => response.end(JSON.stringify(value)),
      (error) => response.writeHead(500).end(String(error instanceof Error ? error.stack : error)),
    )
  })
  server.listen(socket)
  await once(server, 'listening')
  project.provide('sharedServicesSocket', socket)
  return async () => {
    server.close()
    server.closeAllConnections()
    const running = await Promise.allSettled(started.values())
    await Promise.all(running.map((each) => each.status === 'fulfilled' && each.value.stop()))
  }
}
