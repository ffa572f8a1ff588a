import { execFileSync } from 'node:child_process'
import { type Browser, type BrowserServer, chromium } from 'playwright-core'
import { sharedService } from './shared-services.ts'

/** Starts Debian's Chromium, for all files of a run. */
export function launchBrowserServer(): Promise<BrowserServer> {
  const executablePath = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim()
  return chromium.launchServer({ executablePath, args: ['--no-sandbox'] })
}

/** Connects to the Chromium of the run. `close` closes what was opened over this connection, not the browser of the others. */
export async function connectBrowser(): Promise<Browser> {
  return chromium.connect(await sharedService('chromium'))
}
