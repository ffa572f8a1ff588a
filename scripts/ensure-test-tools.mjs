// The tests run against real parts: redis-server, Chromium, AWS's DynamoDB Local, which needs Java, and strace. On Debian as root
// it installs the missing ones; elsewhere one line says what to install. Given names of commands, it looks for these alone.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const tools = [
  { command: 'redis-server', debian: 'redis-server' },
  { command: 'chromium', debian: 'chromium' },
  { command: 'java', debian: 'default-jre-headless' },
  { command: 'strace', debian: 'strace' },
]

const wanted = process.argv.slice(2)
const isWanted = ({ command }) => wanted.length === 0 || wanted.includes(command)
const isThere = (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0
const missing = tools.filter((tool) => isWanted(tool) && !isThere(tool.command))

if (missing.length > 0) {
  const packages = missing.map(({ debian }) => debian)
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) {
    console.error(`The tests need ${packages.join(', ')}: please install them and try again.`)
    process.exit(1)
  }
  console.log(`Installing ${packages.join(', ')} for the tests`)
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...packages],
  ]) {
    const { status } = spawnSync('apt-get', args, { env: environment, stdio: ['ignore', 'ignore', 'inherit'] })
    if (status !== 0) {
      console.error(`apt-get ${args.join(' ')} failed: please install ${packages.join(', ')} by hand.`)
      process.exit(1)
    }
  }
}
