import { execFileSync } from 'node:child_process'
import { type Browser, type BrowserServer, chromium } from 'playwright-core'
import { sharedService } from './shared-services.ts'

/**
 * Each new window would start a process for the suggestions of its address bar, which no test sees, and one in reserve. Without them a window
 * costs a third of the processor time. Chromium heeds only the last of these switches, so this one names what Playwright switches off, too.
 */
const disabledFeatures = [
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'CDPScreenshotNewSurface',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'SkipListAccountsWithoutGaiaCookies',
  'ThirdPartyStoragePartitioning',
]

const args = [
  '--no-sandbox',
  // Debian asks for rasterization by the GPU. Where there is none, that is emulated, which costs more than to do without.
  '--disable-gpu',
  '--disable-gpu-rasterization',
  `--disable-features=${disabledFeatures.join(',')}`,
]

/** Starts Debian's Chromium, for all files of a run. */
export function launchBrowserServer(): Promise<BrowserServer> {
  const executablePath = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim()
  return chromium.launchServer({ executablePath, args })
}

/** Connects to the Chromium of the run. `close` closes what was opened over this connection, not the browser of the others. */
export async function connectBrowser(): Promise<Browser> {
  return chromium.connect(await sharedService('chromium'))
}
