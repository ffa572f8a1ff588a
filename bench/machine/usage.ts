import { readFile } from 'node:fs/promises'

/** What a process has used since it began. */
export type Usage = { cpuMs: number; rssBytes: number }

/** Linux counts in these, on every machine we know. */
const tickMs = 10

/** Reads the usage of a process that cannot be asked. */
export async function usageOf(pid: number): Promise<Usage> {
  const [stat, rollup] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/smaps_rollup`, 'utf8'),
  ])
  // The name of the process is in parentheses and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [, rssKiB = '0'] = /^Rss:\s+(\d+) kB/m.exec(rollup) ?? []
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs, rssBytes: Number(rssKiB) * 1024 }
}

/** Returns the CPU of the main thread alone. It is finer than the ticks of the others, for a server that does little. */
export async function mainThreadMs(pid: number): Promise<number> {
  const [ranNs = '0'] = (await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ')
  return Number(ranNs) / 1e6
}

/** Returns the CPU of this process, which is the load. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
