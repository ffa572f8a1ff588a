import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs promtool, and resolves with what it says: nothing of its status 0. */
export async function promtool(...args: string[]): Promise<{ status: number | null; said: string }> {
  const child = spawn('promtool', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text) => (said += text))
  const [status] = await once(child, 'close')
  return { status, said }
}
