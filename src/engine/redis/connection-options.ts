import type { RedisOptions } from 'ioredis'

export const backoffMs = (attempt: number): number => Math.min(50 * attempt, 1000)

export const connectionOptions = (commandTimeoutMs: number) =>
  ({
    connectTimeout: 2 * commandTimeoutMs,
    // A peer may vanish without a word: the connection is given up once it owes us an answer for this long.
    socketTimeout: 2 * commandTimeoutMs,
    disconnectTimeout: commandTimeoutMs,
    retryStrategy: backoffMs,
  }) satisfies RedisOptions

export const commandOptions = (commandTimeoutMs: number) =>
  ({
    ...connectionOptions(commandTimeoutMs),
    commandTimeout: commandTimeoutMs,
    // Commands in flight when the connection breaks fail at once and are never sent a second time.
    maxRetriesPerRequest: 0,
    // After a failover the old master may live on as a replica.
    reconnectOnError: (error) => error.message.includes('READONLY'),
  }) satisfies RedisOptions
