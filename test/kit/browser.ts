import { execFileSync } from 'node:child_process'
import { type Browser, chromium } from 'playwright-core'

/** Debian's Chromium. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim()
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}
