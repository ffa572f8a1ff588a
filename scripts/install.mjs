// Installs the packages of folders that have a package.json of their own: `node scripts/install.mjs test tools`. Does nothing when they
// are there already in the versions the folder asks for, so that it may run before each command that needs them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

function installedVersion(name, folder) {
  const found = join(folder, 'node_modules', name, 'package.json')
  return existsSync(found) ? readJson(found).version : undefined
}

async function install(room) {
  const folder = join(root, room)
  const { dependencies } = readJson(join(folder, 'package.json'))
  const missing = Object.entries(dependencies).filter(([name, version]) => installedVersion(name, folder) !== version)
  if (missing.length === 0) return
  console.log(`Installing the packages of ${room}/package.json`)
  const child = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) {
    console.error(`npm ci failed in ${room}/.`)
    process.exitCode = 1
  }
}

await Promise.all(process.argv.slice(2).map(install))
