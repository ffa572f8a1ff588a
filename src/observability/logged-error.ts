// Reduces an error to what the log may know of it. Error messages quote what users wrote: JSON.parse quotes its text, ioredis the command
// with all its arguments, DynamoDB the item. So only parts that quote nothing pass: the kind of the error, and where it was thrown.

type LoggedError = {
  type: string
  code?: string
  message?: string
  status?: number
  awsRequestId?: string
  frames?: string[]
  cause?: LoggedError
  errors?: LoggedError[]
}

const causesMax = 5
const errorsMax = 3
const framesMax = 12
const word = /^[A-Za-z_$][\w.$-]{0,79}$/

/** Our own code and ioredis use these messages, the same each time. */
const constantMessages = [
  /^Connection is closed\.$/,
  /^Command timed out$/,
  /^No answer from Redis within \d+ ms$/,
  /^The link to Redis was lost$/,
  /^The socket is closed\.$/,
  /^Stream isn't writeable and enableOfflineQueue options is false$/,
  /^Reached the max retries per request limit \(which is \d+\)/,
  /^Failed to refresh slots cache\.$/,
  /^Socket timeout\. Expecting data, but didn't receive any in \d+ms\.$/,
]

export function loggedError(error: unknown, depth = 0): LoggedError {
  if (typeof error !== 'object' || error === null) return { type: typeof error }
  const { name, code, cause, errors, $metadata } = error as Record<string, unknown>
  const message = shownMessage(error as Record<string, unknown>)
  const shownCode = wordOf(code) ?? replyCode(error as Record<string, unknown>)
  const { httpStatusCode, requestId } = isObject($metadata) ? $metadata : {}
  const frames = framesOf(error as Record<string, unknown>)
  return {
    type: wordOf(name) ?? 'Error',
    ...(shownCode !== undefined && { code: shownCode }),
    ...(message !== undefined && { message }),
    ...(typeof httpStatusCode === 'number' && { status: httpStatusCode }),
    ...(wordOf(requestId) !== undefined && { awsRequestId: String(requestId) }),
    ...(frames.length > 0 && { frames }),
    ...(isObject(cause) && depth < causesMax && { cause: loggedError(cause, depth + 1) }),
    ...(Array.isArray(errors) &&
      depth < causesMax && { errors: errors.slice(0, errorsMax).map((each) => loggedError(each, depth + 1)) }),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const wordOf = (value: unknown): string | undefined =>
  typeof value === 'string' && word.test(value) ? value : undefined

function shownMessage({ message, syscall, code }: Record<string, unknown>): string | undefined {
  if (typeof message !== 'string') return undefined
  // Errors of the operating system say which call failed, and at which address.
  const isSystem = typeof syscall === 'string' && wordOf(code) !== undefined && wordOf(syscall) !== undefined
  return isSystem || constantMessages.some((constant) => constant.test(message)) ? message.slice(0, 200) : undefined
}

/** Redis begins its errors with a word in capitals: OOM, READONLY, WRONGTYPE. */
function replyCode({ name, message }: Record<string, unknown>): string | undefined {
  return name === 'ReplyError' ? /^[A-Z]{2,20}(?= |$)/.exec(String(message))?.[0] : undefined
}

/** Reads only stacks that are made of the name, the message and the frames, since a message may have lines that look like frames. */
function framesOf({ stack, message }: Record<string, unknown>): string[] {
  if (typeof stack !== 'string' || typeof message !== 'string') return []
  const saidAt = stack.indexOf(message)
  if (saidAt < 0 || !heading.test(stack.slice(0, saidAt))) return []
  const lines = stack.slice(saidAt + message.length).split('\n')
  return lines
    .filter((line) => frame.test(line))
    .slice(0, framesMax)
    .map((line) => line.trim().slice(3))
}

const heading = /^[\w$.[\] ]+(?:: )?$/
const frame =
  /^ {4}at (?:async )?(?:[\w.$<>[\] ]+ \()?(?:node:|file:|\/|[A-Z]:\\|<anonymous>|native|index \d)[^()]*\)?$/
