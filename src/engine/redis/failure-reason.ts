/** Why a command has failed, in one of a few words. */
export type RedisFailureReason = (typeof redisFailureReasons)[number]

export const redisFailureReasons = [
  'timeout',
  'connection',
  'full',
  'read_only',
  'denied',
  'starting',
  'cluster',
  'other',
] as const

/** Redis begins its errors with a word in capitals. */
const byWord: Readonly<Record<string, RedisFailureReason>> = {
  OOM: 'full',
  READONLY: 'read_only',
  NOREPLICAS: 'read_only',
  // It takes no writes, because it cannot save to its disk.
  MISCONF: 'read_only',
  NOAUTH: 'denied',
  NOPERM: 'denied',
  WRONGPASS: 'denied',
  LOADING: 'starting',
  MASTERDOWN: 'starting',
  BUSY: 'timeout',
  CLUSTERDOWN: 'cluster',
  TRYAGAIN: 'cluster',
  MOVED: 'cluster',
  ASK: 'cluster',
}

/** A script's error may have the word of its cause after the name of the script. */
const wordOf = /(?:^|: )-?([A-Z]{3,20})(?= )/

/** Looks at what ioredis rejects with, or at an error that has this as its cause. */
export function redisFailureReason(error: unknown, depth = 0): RedisFailureReason {
  if (!(error instanceof Error) || depth > 3) return 'other'
  const { name, message, cause } = error
  const byReply = name === 'ReplyError' ? byWord[wordOf.exec(message)?.[1] ?? ''] : undefined
  if (byReply) return byReply
  if (/^No answer from Redis within|^Command timed out$/.test(message)) return 'timeout'
  if (isDisconnected(error)) return 'connection'
  return cause === undefined ? 'other' : redisFailureReason(cause, depth + 1)
}

const isDisconnected = (error: Error): boolean =>
  ('syscall' in error && 'code' in error) ||
  /^Connection is closed|^Stream isn't writeable|^The link to Redis was lost|^Reached the max retries|^Failed to refresh slots cache|^Socket timeout/.test(
    error.message,
  )
