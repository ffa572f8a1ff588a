import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'

// What a process does to some files of one directory, seen by strace: each call has a begin and an end, and those of several threads may lie in each other.

export type Call =
  | {
      type: 'write'
      file: string
      offset: number
      data: Buffer /** On the disk when the call ends. */
      through: boolean
    }
  | { type: 'truncate'; file: string; length: number }
  | { type: 'sync'; file: string }
  | { type: 'sync directory' }
  /** A line on the standard output. */
  | { type: 'say'; line: string }

export type TraceEvent = { call: Call; at: 'begin' | 'end' }

const traced =
  'openat,lseek,write,writev,pwrite64,pwritev,fsync,fdatasync,msync,ftruncate,fallocate,sync_file_range,mmap'

/** Runs a script under strace and returns, in order, what it did to these files, to their directory, and what it said. */
export async function traceFiles(
  args: readonly string[],
  { directory, names }: { directory: string; names: readonly string[] },
  tracePath: string,
): Promise<TraceEvent[]> {
  // A sync takes long enough for the process to say something in between, if it does not wait for it.
  const slow = ['-e', 'inject=fdatasync,fsync:delay_enter=20000']
  const strace = [
    ...slow,
    '-f',
    '-y',
    '-xx',
    '-s',
    '1000000',
    '-e',
    `trace=${traced}`,
    '-e',
    'signal=none',
    '-o',
    tracePath,
  ]
  const child = spawn('strace', [...strace, process.execPath, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  const complaints = text(child.stderr)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`strace ended with ${code}: ${await complaints}`)
  return parse(await readFile(tracePath, 'latin1'), directory, names)
}

const lineForm = /^(\d+)\s+(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$/

function parse(trace: string, directory: string, names: readonly string[]): TraceEvent[] {
  const hexDirectory = hexOf(directory)
  /** Returns the name of the file, if it is one of them. LMDB's is elsewhere while it is made. */
  const fileOf = (hex: string): string | undefined => {
    const of = String(Buffer.from(hex.replaceAll('\\x', ''), 'hex'))
    if (!of.startsWith(`${directory}/`)) return undefined
    return of.endsWith('.making/whole.mdb') ? 'data.mdb' : names.find((name) => of === `${directory}/${name}`)
  }
  const events: TraceEvent[] = []
  const unfinished = new Map<string, { args: string; call: Call | undefined }>()
  const through = new Set<string>()
  const positions = new Map<string, number>()

  /** Returns what the call does to the file, if it does anything to it. */
  function read(name: string, args: string): Call | undefined {
    const [, fd = '', of = ''] = /^(\d+)<([^>]*)>/.exec(args) ?? []
    if (name === 'write' && fd === '1') return { type: 'say', line: String(bytesOf(args)).trim() }
    if (of === hexDirectory && name === 'fsync') return { type: 'sync directory' }
    const file = fileOf(of)
    if (file === undefined) return assertUnmapped(name, args)
    if (name === 'fsync' || name === 'fdatasync') return { type: 'sync', file }
    if (name === 'ftruncate') return { type: 'truncate', file, length: Number(/, (\d+)$/.exec(args)?.[1]) }
    const data = bytesOf(args)
    const own = { type: 'write', file, data, through: through.has(fd) } as const
    if (name === 'pwrite64' || name === 'pwritev') return { ...own, offset: Number(/, (\d+)$/.exec(args)?.[1]) }
    if (name === 'write' || name === 'writev') {
      const offset = positions.get(fd) ?? 0
      positions.set(fd, offset + data.length)
      return { ...own, offset }
    }
    if (name === 'lseek') return undefined
    throw new Error(`${name} is not understood: ${args.slice(0, 200)}`)
  }

  /** What is written through memory would not be seen. */
  function assertUnmapped(name: string, args: string): undefined {
    const mapped = name === 'mmap' && args.includes('PROT_WRITE') && /<([^>]*)>/.exec(args)?.[1]
    if (mapped && fileOf(mapped)) throw new Error('The file is written through memory, which this test does not see.')
  }

  /** A descriptor is known by its number, which threads share. */
  function note(name: string, args: string, result: string): void {
    const [, fd = '', of = ''] = /^(\d+)(?:<([^>]*)>)?/.exec(name === 'openat' ? result : args) ?? []
    if (fileOf(of) === undefined) return
    if (name === 'openat') {
      if (args.includes('O_TRUNC') && !of.includes(hexOf('.making')))
        throw new Error('A file is truncated as it is opened.')
      positions.set(fd, 0)
      if (/O_D?SYNC/.test(args)) through.add(fd)
      else through.delete(fd)
    }
    if (name === 'lseek') positions.set(fd, Number(result))
  }

  for (const line of trace.split('\n')) {
    const [, thread = '', resumed, begun, rest = ''] = lineForm.exec(line) ?? []
    if (begun !== undefined) {
      const [args = ''] = rest.split(/ <unfinished \.\.\.>$|\)\s+= /)
      const call = read(begun, args)
      if (call) events.push({ call, at: 'begin' })
      if (rest.endsWith('<unfinished ...>')) unfinished.set(thread, { args, call })
      else end(begun, args, call, rest)
    } else if (resumed !== undefined) {
      const { args = '', call } = unfinished.get(thread) ?? {}
      end(resumed, args, call, rest)
    }
  }
  return events

  function end(name: string, args: string, call: Call | undefined, rest: string): void {
    const result = /= (\S+)[^=]*$/.exec(rest)?.[1] ?? ''
    note(name, args, result)
    if (!call) return
    if (call.type === 'write' && Number(result) !== call.data.length) throw new Error(`A write ended with ${result}.`)
    events.push({ call, at: 'end' })
  }
}

const hexOf = (of: string): string =>
  [...Buffer.from(of)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')

/** Returns all that stands in quotes, in order. */
const bytesOf = (args: string): Buffer =>
  Buffer.from(Array.from(args.matchAll(/"([^"]*)"/g), ([, hex = '']) => hex.replaceAll('\\x', '')).join(''), 'hex')
