import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { inject } from 'vitest'

/** Test files share these services, and learn this of them. global-setup.ts starts each when it is first asked for. */
export type SharedServices = {
  /** The endpoint of a dynalite that keeps its data on disk, as it does when embedded. */
  dynalite: string
  /** The endpoint of AWS's DynamoDB Local: its answers count where dynalite's differ. It needs Java. */
  dynamoDbLocal: string
  /** The script of the transpiled server. */
  server: string
  /** The script of the same server, with the built pages beside it. */
  demoServer: string
  /** The URL of such a server, in development mode and with everything embedded, for tests that neither stop it nor change its settings. */
  demoNode: string
  /** The WebSocket endpoint of a headless Chromium. */
  chromium: string
}

const asked = new Map<keyof SharedServices, Promise<string>>()

/** Returns where the service is. Starts it if no test file of this run has asked for it before. */
export function sharedService(name: keyof SharedServices): Promise<string> {
  const answer = asked.get(name) ?? ask(name)
  asked.set(name, answer)
  return answer
}

function ask(name: keyof SharedServices): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request({ socketPath: inject('sharedServicesSocket'), path: `/${name}` }, async (response) => {
      const answer = await text(response)
      if (response.statusCode === 200) resolve(JSON.parse(answer))
      else reject(new Error(`${name} cannot be started: ${answer}`))
    })
    asking.on('error', reject)
    asking.end()
  })
}
