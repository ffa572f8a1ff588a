import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'

const shipped = new URL('../../../deploy/nginx.conf', import.meta.url)

/** Starts nginx with deploy/nginx.conf, in which only the addresses are others, and what root alone may write to. */
export async function startNginx(nodes: Readonly<Record<string, number>>) {
  const dir = await mkdtemp(join(tmpdir(), 'parley-nginx-'))
  const port = await freePort()
  const config = join(dir, 'nginx.conf')
  const log = join(dir, 'error.log')
  await writeFile(config, substituted(await readFile(shipped, 'utf8'), nodes, port, dir))
  const child = spawn('sh', ['-c', guarded, 'sh', log, '-p', dir, '-c', config, '-g', `daemon off; pid ${dir}/pid;`], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = once(child, 'exit')
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  while (!(await isListening(port))) {
    if (isOver()) throw new Error(`nginx did not start: ${await readFile(log, 'utf8')}`)
    await sleep(20)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    errors: () => readFile(log, 'utf8'),
    async stop() {
      child.stdin.end()
      await ended
      await rm(dir, { recursive: true, force: true })
    },
  }
}

function substituted(text: string, nodes: Readonly<Record<string, number>>, port: number, dir: string): string {
  let config = replaced(text, 'listen 80 ', `listen 127.0.0.1:${port} `)
  for (const [name, at] of Object.entries(nodes)) config = replaced(config, `${name}:4000`, `127.0.0.1:${at}`)
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${dir}/${each};`)
  return replaced(config, 'http {', `http {\n${places.join('\n')}`)
}

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`deploy/nginx.conf does not have "${from}".`)
  return text.replaceAll(from, to)
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

// In whatever way this process ends, its end of the pipe is closed, and that ends nginx and its workers. The log is a file because nginx opens
// /dev/stderr by its name, which a socket does not allow.
const guarded = `
  log=$1; shift
  exec 3<&0 2>"$log"
  { cat <&3 >/dev/null; kill -TERM $$; } &
  PATH="$PATH:/usr/sbin" exec nginx "$@" </dev/null 3<&-
`
