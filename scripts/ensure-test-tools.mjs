// The tests run against real parts: redis-server, Chromium, AWS's DynamoDB Local, which needs Java, nginx, curl, strace, systemd-analyze, promtool and
// Alertmanager. On Debian as root it installs the missing ones; elsewhere one line says what to install. Given names of commands, it looks for these
// alone.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const tools = [
  { command: 'redis-server', debian: 'redis-server' },
  { command: 'chromium', debian: 'chromium' },
  { command: 'java', debian: 'default-jre-headless' },
  { command: 'nginx', debian: 'nginx' },
  { command: 'curl', debian: 'curl' },
  { command: 'strace', debian: 'strace' },
  { command: 'systemd-analyze', debian: 'systemd' },
  // Of these only the program is taken, and what it reads: their packages bring services, users and web pages.
  { command: 'promtool', debian: 'prometheus', files: { '/usr/bin/promtool': '/usr/local/bin/promtool' } },
  {
    command: 'alertmanager',
    debian: 'prometheus-alertmanager',
    files: {
      '/usr/share/prometheus/alertmanager': '/usr/share/prometheus/alertmanager',
      '/usr/bin/prometheus-alertmanager': '/usr/local/bin/alertmanager',
    },
  },
]

/** Debian asks this program whether a package may start its service. The tests start what they need by themselves, and stop it. */
const policy = '/usr/sbin/policy-rc.d'
/** Debian has nginx where users who are not root do not look. */
const withSbin = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }

const wanted = process.argv.slice(2)
const isWanted = ({ command }) => wanted.length === 0 || wanted.includes(command)
const isThere = (command) => spawnSync('sh', ['-c', `command -v ${command}`], { env: withSbin }).status === 0
const missing = tools.filter((tool) => isWanted(tool) && !isThere(tool.command))

if (missing.length > 0) {
  const packages = missing.map(({ debian }) => debian)
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) {
    console.error(`The tests need ${packages.join(', ')}: please install them and try again.`)
    process.exit(1)
  }
  console.log(`Installing ${packages.join(', ')} for the tests`)
  if (!existsSync(policy)) {
    writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
    process.on('exit', () => rmSync(policy, { force: true }))
  }
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  run('apt-get', ['update', '-qq'])
  const whole = missing.filter(({ files }) => files === undefined).map(({ debian }) => debian)
  if (whole.length > 0) run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...whole])
  for (const { debian, files } of missing.filter(({ files }) => files !== undefined)) {
    const directory = mkdtempSync(join(tmpdir(), 'parley-tools-'))
    process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
    run('apt-get', ['download', '-qq', '-o', 'APT::Sandbox::User=root', debian], directory)
    const [archive = ''] = readdirSync(directory)
    run('dpkg-deb', ['--extract', archive, 'unpacked'], directory)
    for (const [from, to] of Object.entries(files)) {
      mkdirSync(dirname(to), { recursive: true })
      run('cp', ['--recursive', '--no-target-directory', join(directory, 'unpacked', from), to])
    }
  }

  function run(command, args, cwd = process.cwd()) {
    const { status } = spawnSync(command, args, { cwd, env: environment, stdio: ['ignore', 'ignore', 'inherit'] })
    if (status === 0) return
    console.error(`${command} ${args.join(' ')} failed: please install ${packages.join(', ')} by hand.`)
    process.exit(1)
  }
}
