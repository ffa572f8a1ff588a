import { createHash } from 'node:crypto'
import type { Cluster, Redis } from 'ioredis'
import type { Argument, RedisCommands } from './command.ts'

/**
 * Makes commands and scripts by the public API of ioredis. Tests compare the lean ones with them, and a setting replaces the lean ones by them.
 * One thing differs: a command whose time is over while ioredis waits for a connection is still sent once there is one.
 */
export function createPlainCommands(connection: Redis | Cluster): RedisCommands {
  return {
    command(name) {
      // ioredis reshapes some replies, such as that of hgetall, which it knows by their names in small letters.
      const upper = name.toUpperCase()
      return (key, args) => connection.call(upper, key, ...args)
    },

    script(lua, numberOfKeys) {
      const name = `script_${createHash('sha1').update(lua).digest('hex')}`
      connection.defineCommand(name, { lua, numberOfKeys })
      const defined = Reflect.get(connection, name) as (...args: Argument[]) => Promise<unknown>
      return (keys, args) => defined.call(connection, ...keys, ...args)
    },
  }
}
