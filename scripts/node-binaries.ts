// Finds other versions of Node than the one that runs. npm has packages with the binaries, one for each version and system.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The versions that Parley is tested on, beside the oldest one, which is in `engines` of package.json. The newest is that of the image. */
export const nodeVersions: Readonly<Record<string, string>> = { 22: '22.23.3', 24: '24.18.0' }

/** npm is given no more time than this. On a machine without a network it would wait for long. */
const withinMs = 90_000
const cache = fileURLToPath(new URL('../node_modules/.cache/parley-node', import.meta.url))

/** Resolves with the folder that has `node` of this version in it, which is installed when it is first asked for, or with why it cannot be had. */
export async function nodeOf(version: string): Promise<{ folder: string } | { missing: string }> {
  const name = `node-${process.platform}-${process.arch}`
  const place = join(cache, version)
  const folder = join(place, 'node_modules', name, 'bin')
  if (existsSync(folder)) return { folder }
  await mkdir(cache, { recursive: true })
  // The folder gets its name when it is complete. Whoever asks for the same version meanwhile installs it for themselves.
  const made = await mkdtemp(join(cache, 'made-'))
  try {
    const problem = await install(made, `${name}@${version}`)
    if (problem) return { missing: problem }
    await rename(made, place).catch((error) => {
      if (!existsSync(folder)) throw error
    })
    return { folder }
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

/** Resolves with why it cannot be had, or undefined. */
function install(place: string, wanted: string): Promise<string | undefined> {
  const settings = ['--prefix', place, '--no-save', '--no-package-lock', '--ignore-scripts', '--prefer-offline']
  const patience = ['--fetch-retries', '0', '--fetch-timeout', String(withinMs)]
  return new Promise((resolve) => {
    const child = spawn('npm', ['install', ...settings, ...patience, '--loglevel=error', wanted], {
      stdio: ['ignore', 'ignore', 'pipe'],
      signal: AbortSignal.timeout(withinMs),
    })
    let complaint = ''
    child.stderr.on('data', (chunk) => {
      complaint += chunk
    })
    child.on('error', ({ message }) => resolve(`${wanted} cannot be installed: ${message}`))
    child.on('close', (code) => resolve(code === 0 ? undefined : `${wanted} cannot be installed: ${complaint.trim()}`))
  })
}
