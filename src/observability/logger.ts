import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogLevel } from '../config/operating.ts'
import { loggedError } from './logged-error.ts'

/** Fields that must not get into the log. This is the second line of defence: the first is that every call names what it logs, field by field. */
const secrets = ['authorization', 'token', 'body', 'text', 'variables', 'query']
/** Objects that would hold such fields. They are listed by name: a wildcard would make each line five times as expensive. */
const holders = ['request', 'headers', 'connectionParams', 'payload', 'extensions', 'input', 'message', 'event', 'row']

/** Lines wait to be written together, at most so long and at most so many characters. */
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
 * A write for each line would cost more than the line, so lines are written a few at a time; a warning or worse is written at once.
 * Lines wait here and not in pino's destination, which calls fsync at every flush.
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
