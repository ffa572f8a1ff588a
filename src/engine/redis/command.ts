import { createHash } from 'node:crypto'
import { type Cluster, Command, type Redis } from 'ioredis'
import type { Deadline, DeadlineOwner, DeadlineQueue } from '../../shared/deadline-queue.ts'

// Commands as ioredis sends them, without what its own do for everybody: those have a timer each, copy their arguments twice, and are
// wrapped once more if they run a script. ioredis still has the connections, the cluster, the queues and the answers.

export type Argument = string | number
export type RedisCommand = (key: string, args: readonly Argument[]) => Promise<unknown>
export type RedisScript = (keys: readonly string[], args: readonly Argument[]) => Promise<unknown>

/** What they share: how the next attempt is sent, and who watches over how long it takes. */
type Sender = { deadlines: DeadlineQueue; timeoutMs: number; send(command: LeanCommand): void }

/** How a command begins, before its keys: for so many keys and arguments, on this socket. */
type Opening = {
  name: string
  of(count: number, socket: object): string
  /** Whether the refusal of this socket's Redis is a reason to send the command again. */
  mayRetry(error: Error): boolean
}

export function createCommands(connection: Redis | Cluster, deadlines: DeadlineQueue, timeoutMs: number) {
  const sender: Sender = {
    deadlines,
    timeoutMs,
    send: (command) => void connection.sendCommand(command as unknown as Command),
  }

  function start(opening: Opening, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const command = new LeanCommand(sender, opening, keys, args)
    sender.send(command)
    return command.promise
  }

  return {
    command(name: string): RedisCommand {
      const opening: Opening = {
        name,
        of: (count) => `*${count + 1}\r\n${bulk(name)}`,
        mayRetry: () => false,
      }
      return (key, args) => start(opening, [key], args)
    },

    script(lua: string, numberOfKeys: number): RedisScript {
      const opening = openingOf(lua, numberOfKeys)
      return (keys, args) => start(opening, keys, args)
    },
  }
}

/** The text goes along once per connection, its hash from then on. */
function openingOf(lua: string, numberOfKeys: number): Opening {
  const byText = bulk('eval') + bulk(lua) + bulk(numberOfKeys)
  const byHash = bulk('evalsha') + bulk(createHash('sha1').update(lua).digest('hex')) + bulk(numberOfKeys)
  let knownBy = new WeakSet<object>()
  return {
    name: 'evalsha',
    of(count, socket) {
      if (knownBy.has(socket)) return `*${count + 3}\r\n${byHash}`
      knownBy.add(socket)
      return `*${count + 3}\r\n${byText}`
    },
    mayRetry(error) {
      if (!error.message.startsWith('NOSCRIPT')) return false
      knownBy = new WeakSet()
      return true
    },
  }
}

/** What ioredis looks at in a command. */
class LeanCommand implements DeadlineOwner {
  readonly promise: Promise<unknown>
  readonly inTransaction = false
  /** Nobody listens to the tracing that ioredis has. */
  readonly isTraced = true
  /** Nobody waits any more: not to be sent, or sent again. */
  isResolved = false
  #answer: (answer: unknown) => void = () => undefined
  #fail: (error: Error) => void = () => undefined
  readonly #sender: Sender
  readonly #opening: Opening
  readonly #keys: readonly string[]
  readonly #args: readonly Argument[]
  readonly #deadline: Deadline

  constructor(sender: Sender, opening: Opening, keys: readonly string[], args: readonly Argument[]) {
    this.#sender = sender
    this.#opening = opening
    this.#keys = keys
    this.#args = args
    this.promise = new Promise((resolve, reject) => {
      this.#answer = resolve
      this.#fail = reject
    })
    this.#deadline = sender.deadlines.add(this, sender.deadlines.monotonic() + sender.timeoutMs)
  }

  get name(): string {
    return this.#opening.name
  }

  /** ioredis puts them into errors, which are logged: without what people write. */
  get args(): readonly string[] {
    return this.#keys
  }

  toWritable(socket: object): string {
    let text = this.#opening.of(this.#keys.length + this.#args.length, socket)
    for (const key of this.#keys) text += bulk(key)
    for (const arg of this.#args) text += bulk(arg)
    return text
  }

  resolve(reply: unknown): void {
    this.#sender.deadlines.remove(this.#deadline)
    this.#answer(toText(reply))
  }

  reject(error: Error): void {
    if (this.#opening.mayRetry(error)) this.#sender.send(this)
    else {
      this.#sender.deadlines.remove(this.#deadline)
      this.#fail(error)
    }
  }

  onDue(): void {
    this.isResolved = true
    this.#fail(new Error(`No answer from Redis within ${this.#sender.timeoutMs} ms`))
  }

  setTimeout(): void {
    // Watched over already.
  }

  getKeys(): readonly string[] {
    return this.#keys
  }

  getSlot(): number {
    return new Command('get', [this.#keys[0] ?? '']).getSlot()
  }
}

function bulk(argument: Argument): string {
  if (typeof argument === 'string') return `$${Buffer.byteLength(argument)}\r\n${argument}\r\n`
  const digits = String(argument)
  return `$${digits.length}\r\n${digits}\r\n`
}

function toText(reply: unknown): unknown {
  if (typeof reply === 'number') return reply
  if (Buffer.isBuffer(reply)) return reply.toString()
  return Array.isArray(reply) ? reply.map(toText) : reply
}
