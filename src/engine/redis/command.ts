import { createHash } from 'node:crypto'
import { type Cluster, Command, type Redis } from 'ioredis'
import type { Deadline, DeadlineOwner, DeadlineQueue } from '../../shared/deadline-queue.ts'

// Lean commands take the place of ioredis's own, which have a timer each, copy their arguments twice, and are wrapped once more if they
// run a script. ioredis still does the rest: the connections, the cluster, the queues and the answers. README.md beside this file lists what
// this relies on, and test/engine/redis/ioredis-insides.test.ts pins it to ioredis 5.11.1.

export type Argument = string | number
export type RedisCommand = (key: string, args: readonly Argument[]) => Promise<unknown>
export type RedisScript = (keys: readonly string[], args: readonly Argument[]) => Promise<unknown>

/** This file and plain-command.ts both make them. */
export type RedisCommands = {
  command(name: string): RedisCommand
  /** The text of a script goes over the wire once for each connection, its hash from then on. */
  script(lua: string, numberOfKeys: number): RedisScript
}

/** What all commands of a link share: how they are sent, and how long they may take. */
type Sender = { deadlines: DeadlineQueue; timeoutMs: number; send(command: LeanCommand): void }

/** A command begins with these, before its keys. */
type CommandPrefix = {
  name: string
  of(count: number, socket: object): string
  /** Whether the refusal of this socket's Redis is a reason to send the command again. */
  mayRetry(error: Error): boolean
}

export function createLeanCommands(
  connection: Redis | Cluster,
  deadlines: DeadlineQueue,
  timeoutMs: number,
): RedisCommands {
  const sender: Sender = {
    deadlines,
    timeoutMs,
    send: (command) => void connection.sendCommand(command as unknown as Command),
  }

  function start(prefix: CommandPrefix, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const command = new LeanCommand(sender, prefix, keys, args)
    sender.send(command)
    return command.promise
  }

  return {
    command(name: string): RedisCommand {
      const prefix: CommandPrefix = {
        name,
        of: (count) => `*${count + 1}\r\n${bulk(name)}`,
        mayRetry: () => false,
      }
      return (key, args) => start(prefix, [key], args)
    },

    script(lua: string, numberOfKeys: number): RedisScript {
      const prefix = scriptPrefixOf(lua, numberOfKeys)
      return (keys, args) => start(prefix, keys, args)
    },
  }
}

/** The text of a script is sent once per connection, its hash from then on. */
function scriptPrefixOf(lua: string, numberOfKeys: number): CommandPrefix {
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

/** It has what ioredis looks at in a command. */
class LeanCommand implements DeadlineOwner {
  readonly promise: Promise<unknown>
  readonly inTransaction = false
  /** Tells ioredis that it was traced already: no code listens to the tracing that ioredis has. */
  readonly isTraced = true
  /** No caller waits for it any more: it must not be sent, or sent again. */
  isResolved = false
  #answer: (answer: unknown) => void = () => undefined
  #fail: (error: Error) => void = () => undefined
  readonly #sender: Sender
  readonly #prefix: CommandPrefix
  readonly #keys: readonly string[]
  readonly #args: readonly Argument[]
  readonly #deadline: Deadline

  constructor(sender: Sender, prefix: CommandPrefix, keys: readonly string[], args: readonly Argument[]) {
    this.#sender = sender
    this.#prefix = prefix
    this.#keys = keys
    this.#args = args
    this.promise = new Promise((resolve, reject) => {
      this.#answer = resolve
      this.#fail = reject
    })
    this.#deadline = sender.deadlines.add(this, sender.deadlines.monotonic() + sender.timeoutMs)
  }

  get name(): string {
    return this.#prefix.name
  }

  /** ioredis puts these into errors, which are logged: so they are the keys alone, without the texts that people write. */
  get args(): readonly string[] {
    return this.#keys
  }

  toWritable(socket: object): string {
    let text = this.#prefix.of(this.#keys.length + this.#args.length, socket)
    for (const key of this.#keys) text += bulk(key)
    for (const arg of this.#args) text += bulk(arg)
    return text
  }

  resolve(reply: unknown): void {
    this.#sender.deadlines.remove(this.#deadline)
    this.#answer(toText(reply))
  }

  reject(error: Error): void {
    if (this.#prefix.mayRetry(error)) this.#sender.send(this)
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
    // The deadline queue already limits its time.
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
