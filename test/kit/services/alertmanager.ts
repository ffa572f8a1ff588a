import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../free-port.ts'
import { waitUntil } from '../wait-until.ts'

export type Labels = Readonly<Record<string, string>>
type Group = { receiver: { name: string }; alerts: { labels: Labels }[] }

const shipped = fileURLToPath(new URL('../../../deploy/alertmanager.yml', import.meta.url))

/** Starts Alertmanager with deploy/alertmanager.yml. It tells nobody before its `group_wait` is over, which is longer than a test. */
export async function startAlertmanager() {
  const dir = await mkdtemp(join(tmpdir(), 'parley-alertmanager-'))
  const url = `http://127.0.0.1:${await freePort()}`
  const settings = [
    `--config.file=${shipped}`,
    `--storage.path=${dir}`,
    `--web.listen-address=${url.slice('http://'.length)}`,
    '--cluster.listen-address=',
  ]
  const child = spawn('sh', ['-c', guarded, 'sh', ...settings], { stdio: ['pipe', 'ignore', 'pipe'] })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => (said += text))
  const ended = once(child, 'exit')
  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(`Alertmanager did not start: ${said}`)
    const ready = await fetch(`${url}/-/ready`).catch(() => undefined)
    return ready?.ok ?? false
  })

  const groups = async (query = '') => (await (await fetch(`${url}/api/v2/alerts/groups${query}`)).json()) as Group[]
  const nameOf = (labels: Labels) => JSON.stringify(Object.entries(labels).sort())
  let fired: readonly Labels[] = []

  return {
    /** Says which alarms fire; those that did before have ended. */
    async fire(firing: readonly Labels[]): Promise<void> {
      const names = new Set(firing.map(nameOf))
      const ended = fired.filter((labels) => !names.has(nameOf(labels)))
      fired = firing
      const endsAt = new Date().toISOString()
      const alerts = [...firing.map((labels) => ({ labels })), ...ended.map((labels) => ({ labels, endsAt }))]
      const headers = { 'content-type': 'application/json' }
      const { status } = await fetch(`${url}/api/v2/alerts`, { method: 'POST', headers, body: JSON.stringify(alerts) })
      if (status !== 200) throw new Error(`Alertmanager answered ${status}.`)
      await waitUntil(async () => (await groups()).flatMap((group) => group.alerts).length === firing.length)
    },
    /** Returns the notifications that would be sent now: to whom, and about which alarms. */
    async notifications(): Promise<{ receiver: string; alarms: string[] }[]> {
      return (await groups('?inhibited=false'))
        .map(({ receiver, alerts }) => ({
          receiver: receiver.name,
          alarms: [...new Set(alerts.map(({ labels: { alertname = '' } }) => alertname))].sort(),
        }))
        .sort((one, other) => one.alarms.join().localeCompare(other.alarms.join()))
    },
    async stop(): Promise<void> {
      child.stdin?.end()
      await ended
      await rm(dir, { recursive: true, force: true })
    },
  }
}

// In whatever way this process ends, its end of the pipe is closed, and that ends the server.
const guarded = 'exec 3<&0; { cat <&3 >/dev/null; kill -9 $$; } & exec alertmanager "$@" </dev/null 3<&-'
