import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Random } from '../simulation/random.ts'
import type { Call, TraceEvent } from './file-trace.ts'

// The power may go at any moment of a trace. What was synced by then is on the disk. Of what was not, any part may be: writes are carried
// out in any order, and a write of several sectors in part.

/** What the writer says: it gives a version of a row to the engine, or has its answer. */
export type Op = { what: 'given' | 'answered'; key: number; version: number; removes: boolean }
export type Version = { version: number; filler: string }

/** What is in a file: the version of each row that is there. */
export type Found = { versions: Record<number, number> } | { damaged: string }

/** The files as they may be found, and what the writer had said by then. */
export type Image = {
  at: number
  how: string
  files: ReadonlyMap<string, Buffer>
  said: readonly Op[]
}

type Change = Extract<Call, { type: 'write' | 'truncate' }>

/** A disk writes a sector as a whole or not at all. */
const sectorBytes = 512

/** Returns the files that may be found, each once for what was answered by then. */
export function* imagesOf(events: readonly TraceEvent[], random: Random): Generator<Image> {
  const changes: { change: Change; ended: boolean; durable: boolean }[] = []
  const syncs = new Map<Call, number>()
  const said: Op[] = []
  const seen = new Set<string>()
  let isNamed = false

  for (const [at, { call, at: moment }] of events.entries()) {
    const last = changes.findLast(({ change }) => change === call)
    if (call.type === 'say' && moment === 'begin') said.push(JSON.parse(call.line) as Op)
    if (call.type === 'write' || call.type === 'truncate') {
      if (moment === 'begin') changes.push({ change: call, ended: false, durable: false })
      else if (last) Object.assign(last, { ended: true, durable: call.type === 'write' && call.through })
    }
    // A sync is good for what had ended when it began.
    if (call.type === 'sync' && moment === 'begin')
      syncs.set(
        call,
        changes.findLastIndex(({ ended }) => ended),
      )
    if (call.type === 'sync' && moment === 'end')
      for (const each of changes.slice(0, (syncs.get(call) ?? -1) + 1))
        if (each.change.file === call.file) each.durable ||= each.ended
    // Before that nobody finds the file: it has another name while it is made.
    if (call.type === 'sync directory') isNamed = true
    if (!isNamed) continue

    for (const { how, keeps } of losses(changes.filter(({ durable }) => !durable).length)) {
      let index = 0
      const found = changes.map(({ change, durable }) => ({ change, keeps: durable ? () => true : keeps(index++) }))
      const files = new Map<string, Buffer>()
      for (const name of new Set(changes.map(({ change }) => change.file)))
        files.set(
          name,
          fileOf(
            found.filter(({ change }) => change.file === name),
            how === 'zeros',
          ),
        )
      const hash = createHash('sha1').update(`${said.length}`)
      for (const [name, file] of files) hash.update(`${name} ${file.length}`).update(file)
      const name = hash.digest('hex')
      if (seen.has(name)) continue
      seen.add(name)
      yield { at, how, files, said: [...said] }
    }
  }

  /** Of so many writes that are not on the disk yet, which sectors are there all the same. */
  function losses(count: number): { how: string; keeps: (index: number) => () => boolean }[] {
    if (count === 0) return [{ how: 'nothing was under way', keeps: () => () => true }]
    const all = Array.from({ length: count }, (_, i) => i)
    return [
      { how: 'all lost', keeps: () => () => false },
      { how: 'zeros', keeps: () => () => false },
      { how: 'all there', keeps: () => () => true },
      { how: 'the last alone', keeps: (index) => () => index === count - 1 },
      { how: 'all but the first', keeps: (index) => () => index !== 0 },
      ...all.slice(-2).map((one) => ({ how: `all but ${one}`, keeps: (index: number) => () => index !== one })),
      ...[0.2, 0.5, 0.8].map((share) => ({ how: 'in part', keeps: () => () => random.chance(share) })),
    ]
  }
}

function fileOf(changes: { change: Change; keeps: () => boolean }[], isWhole: boolean): Buffer {
  const ends = changes.map(({ change }) => (change.type === 'write' ? change.offset + change.data.length : 0))
  const file = Buffer.alloc(Math.max(0, ...ends))
  let length = isWhole ? file.length : 0
  for (const { change, keeps } of changes) {
    if (change.type === 'truncate') {
      if (!keeps()) continue
      file.fill(0, change.length)
      length = Math.min(length, change.length)
      continue
    }
    const { offset, data } = change
    for (let from = 0; from < data.length; ) {
      const to = Math.min(data.length, from + sectorBytes - ((offset + from) % sectorBytes))
      if (keeps()) {
        data.copy(file, offset + from, from, to)
        length = Math.max(length, offset + to)
      }
      from = to
    }
  }
  return file.subarray(0, length)
}

/** Says what is wrong with what was found, if anything is. */
export function faultOf(found: Found, said: readonly Op[]): string | undefined {
  if ('damaged' in found) return `the file is damaged: ${found.damaged}`
  for (const key of new Set(said.map((op) => op.key))) {
    const own = said.filter((op) => op.key === key)
    const answered = Math.max(0, ...own.filter(({ what }) => what === 'answered').map(({ version }) => version))
    const version = found.versions[key]
    const isThere = own.some(
      (op) => op.version >= answered && (op.removes ? version === undefined : op.version === version),
    )
    if (!isThere && !(answered === 0 && version === undefined))
      return `row ${key} was answered with version ${answered}, and is ${version ?? 'gone'}`
  }
  return undefined
}

/** Opens each image with a fresh LMDB, in processes of their own, and returns what is wrong with them. Ends with the first such fault. */
export async function judge(
  images: readonly Image[],
  script: string,
  place: string,
  isEnough: (fault: string) => boolean = () => false,
): Promise<string[]> {
  const faults: string[] = []
  for (let from = 0; from < images.length; ) from += await judgeFrom(from)
  return faults

  /** Goes on until all are judged, one kills the process, or there is enough. Returns how many were judged, or are not wanted. */
  async function judgeFrom(from: number): Promise<number> {
    const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'ignore'] })
    const exited = once(child, 'exit')
    // A process that dies of a file does not read what else there is.
    child.stdin.on('error', () => undefined)
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    let judged = 0
    for (const [i, { at, how, files, said }] of images.slice(from).entries()) {
      const directory = join(place, String(from + i))
      await mkdir(directory)
      for (const [name, file] of files) await writeFile(join(directory, name), file)
      child.stdin.write(`${directory}\n`)
      const { value, done } = await answers.next()
      judged += 1
      const fault = done ? 'reading it kills the process' : faultOf(JSON.parse(value) as Found, said)
      if (fault) faults.push(`event ${at}, ${how}: ${fault}`)
      if (fault && isEnough(fault)) judged = images.length
      if (done || judged === images.length) break
    }
    child.stdin.end()
    await exited
    return judged
  }
}
