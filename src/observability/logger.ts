import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogLevel } from '../config/config.ts'
import { loggedError } from './logged-error.ts'

/** What nobody should hand to the log. This is the second line: whoever logs names what is logged, field by field. */
const secrets = ['authorization', 'token', 'body', 'text', 'variables', 'query']
/** Where secrets would be. They are listed by name: a wildcard would cost each line five times what it does. */
const holders = ['request', 'headers', 'connectionParams', 'payload', 'extensions', 'input', 'message', 'event', 'row']

/** Lines wait at most so long, and until they have so many characters, to be written together. */
const linesWaitMs = 100
const linesWaitChars = 4096
/** Where the level stands in a line, and from which digit on it is a warning. */
const [levelAt, warnDigit] = ['{"level":'.length, '4'.charCodeAt(0)]

/** The logger writes one JSON object a line. */
export function createLogger(level: LogLevel, to: DestinationStream = standardOutput()): Logger {
  const options = {
    level,
    serializers: { err: loggedError, error: loggedError },
    redact: {
      paths: secrets.flatMap((name) => [name, ...holders.map((holder) => `${holder}.${name}`)]),
      censor: '[hidden]',
    },
  }
  return pino(options, to)
}

/**
 * A write for each line would cost more than the line: they are written a few at a time, but what is a warning or worse at once.
 * They wait here and not in pino's destination, which has the disk confirm whatever it is told to flush.
 */
function standardOutput(): DestinationStream {
  const out = pino.destination({ fd: 1, sync: true })
  let waiting = ''
  let isTimed = false
  const flush = () => {
    const lines = waiting
    waiting = ''
    if (lines !== '') out.write(lines)
  }
  process.on('exit', flush)
  return {
    write(line: string): void {
      waiting += line
      if (waiting.length >= linesWaitChars || line.charCodeAt(levelAt) >= warnDigit) flush()
      else if (!isTimed) {
        isTimed = true
        setTimeout(() => {
          isTimed = false
          flush()
        }, linesWaitMs).unref()
      }
    },
  }
}
