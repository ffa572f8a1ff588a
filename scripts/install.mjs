// Installs the packages of a folder that has a package.json of its own: `node scripts/install.mjs bench`. Does nothing when they
// are there already in the versions the folder asks for, so that it may run before each command that needs them.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

function installedVersion(name, folder) {
  const found = join(folder, 'node_modules', name, 'package.json')
  return existsSync(found) ? readJson(found).version : undefined
}

function install(room) {
  const folder = join(root, room)
  const { dependencies } = readJson(join(folder, 'package.json'))
  const missing = Object.entries(dependencies).filter(([name, version]) => installedVersion(name, folder) !== version)
  if (missing.length === 0) return
  console.log(`Installing the packages of ${room}/package.json`)
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
  })
  if (status !== 0) {
    console.error(`npm ci failed in ${room}/.`)
    process.exit(1)
  }
}

process.argv.slice(2).forEach(install)
