import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogLevel } from '../config.ts'
import { loggedError } from './logged-error.ts'

/** What nobody should hand to the log. This is the second line: whoever logs names what is logged, field by field. */
const secrets = ['authorization', 'token', 'body', 'text', 'variables', 'query']
/** Where they would be. By name: a wildcard would cost each line five times what it does. */
const holders = ['request', 'headers', 'connectionParams', 'payload', 'extensions', 'input', 'message', 'event', 'row']

/** One JSON object a line. */
export function createLogger(level: LogLevel, to?: DestinationStream): Logger {
  const options = {
    level,
    serializers: { err: loggedError, error: loggedError },
    redact: {
      paths: secrets.flatMap((name) => [name, ...holders.map((holder) => `${holder}.${name}`)]),
      censor: '[hidden]',
    },
  }
  return to ? pino(options, to) : pino(options)
}
