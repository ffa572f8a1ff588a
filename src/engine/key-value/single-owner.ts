import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, RootDatabase } from 'lmdb'

// LMDB lets several processes write to one file, but what this process decides by its own memory needs the file for itself alone.
//
// owner   a row of its own database: the name of the socket on which the owner listens. The operating system closes a process's sockets in
//         every way it can end, so an owner that accepts no connection is dead. The socket lies beside the file, so it also answers processes in
//         other containers that share the directory; a process that is stopped still accepts.
//
// The owner also answers a process that connects, once all that it wrote before is in the file. A connection that is closed without an answer says
// nothing: the owner may have died, or a write of it may have failed.
//
// A process that finds a dead owner replaces it in a transaction of LMDB, IF it is still that one: of two that start at once, one wins.

/** The longest path of a socket that all systems accept. */
const pathMax = 100

const answerTimeoutMs = 30_000
const askAgainAfterMs = 100

/** Resolves when all that was written before is in the file, or to false if that has failed. */
type Store = () => Promise<boolean>

export class AlreadyOwnedError extends Error {}

export type Owned = {
  /** Must be called once the owner can store what it has written. */
  answer(store: Store): void
  /** No write may be begun after it. */
  release(): Promise<void>
}

/** Makes this process the owner of the directory. Rejects with AlreadyOwnedError if another process owns it. */
export async function ownDirectory(environment: RootDatabase, directory: string): Promise<Owned> {
  const owners: Database<string, string> = environment.openDB({ name: 'owner', encoding: 'string' })
  const own = `${randomUUID().slice(0, 8)}.sock`
  let answer: Owned['answer'] = () => undefined
  const answers = new Promise<Store>((resolve) => {
    answer = resolve
  })
  const server = await listen(pathOf(directory, own), () => answers.then((store) => store()))
  for (;;) {
    const before = owners.get('owner')
    if (before !== undefined && (await isAlive(pathOf(directory, before)))) {
      server.close()
      throw new AlreadyOwnedError(`Another process is running on ${directory}.`)
    }
    const won = owners.transactionSync(() => {
      if (owners.get('owner') !== before) return false
      owners.putSync('owner', own)
      return true
    })
    if (!won) continue
    if (before !== undefined) removeSocket(pathOf(directory, before))
    return {
      answer,
      async release() {
        // It is removed in its turn, after all writes of this process: the next owner must find them. If this fails, the closed socket tells the same.
        await owners.remove('owner').catch(() => undefined)
        server.close()
        await once(server, 'close')
      },
    }
  }
}

/**
 * Resolves when all that the owner wrote before is in the file, to whether there is an owner. It changes nothing, so the environment may be one
 * that is open for reading alone.
 */
export async function askOwner(environment: RootDatabase, directory: string): Promise<boolean> {
  const owners: Database<string, string> | undefined = environment.openDB({ name: 'owner', encoding: 'string' })
  const until = performance.now() + answerTimeoutMs
  for (;;) {
    const owner = owners?.get('owner')
    if (owner === undefined) return false
    const socket = await connected(pathOf(directory, owner))
    if (!socket) return false
    if (socket !== 'busy' && (await hasAnswered(socket, until - performance.now()))) return true
    if (performance.now() >= until) throw new Error(`The process that is running on ${directory} does not answer.`)
    await sleep(askAgainAfterMs)
  }
}

async function hasAnswered(socket: Socket, withinMs: number): Promise<boolean> {
  const answered = new Promise<boolean>((resolve) => {
    socket.on('error', () => undefined)
    socket.once('data', () => resolve(true))
    socket.once('close', () => resolve(false))
    socket.setTimeout(Math.max(withinMs, 1), () => socket.destroy())
  })
  return answered.finally(() => socket.destroy())
}

async function listen(path: string, store: Store): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    void store().then((isStored) => (isStored ? socket.end('stored', () => socket.destroy()) : socket.destroy()))
  })
  server.listen(path)
  await once(server, 'listening')
  // It does not keep the process alive.
  return server.unref()
}

async function isAlive(path: string): Promise<boolean> {
  const socket = await connected(path)
  if (socket !== 'busy') socket?.destroy()
  return socket !== undefined
}

/** Only a connection that is refused, or a socket that is gone, shows that nobody is there. */
function connected(path: string): Promise<Socket | 'busy' | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(undefined)
      else if (error.code === 'EAGAIN' || error.code === 'ECONNRESET') resolve('busy')
      else reject(error)
    })
  })
}

function pathOf(directory: string, name: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`
  const whole = join(directory, name)
  const short = relative(process.cwd(), whole)
  const path = short.length < whole.length ? short : whole
  if (Buffer.byteLength(path) > pathMax)
    throw new Error(
      `${directory} is too long a path: a socket in it may have ${pathMax} bytes. Set DATA_DIR to a shorter one.`,
    )
  return path
}

function removeSocket(path: string): void {
  if (process.platform !== 'win32') rmSync(path, { force: true })
}
