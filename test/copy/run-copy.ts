import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { sharedService } from '../kit/shared-services.ts'

/** Runs `parley copy` as an operator does, with these settings and no others. */
export async function runCopy(from: string, to: string, settings: Record<string, string> = {}) {
  const child = spawn(process.execPath, [await sharedService('server'), 'copy', '--from', from, '--to', to], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said, complained, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: code as number | null, said: said.trim(), complained: complained.trim() }
}
