/** An error that Redis answers. Its message begins with a word such as MOVED. */
export class ReplyError extends Error {
  override name = 'ReplyError'
}

/** What the server sends without being asked, such as a message of a channel. */
export class Push {
  readonly items: readonly RespValue[]
  constructor(items: readonly RespValue[]) {
    this.items = items
  }
}

export type RespValue = string | number | null | ReplyError | Push | readonly RespValue[]

const incomplete = Symbol('incomplete')
type Parsed = RespValue | typeof incomplete

const [plus, minus, colon, dollar, star, greater, percent, tilde, underscore] = Buffer.from('+-:$*>%~_')
const lineEnd = 13

/**
 * Reads what a server says in RESP3, wherever the bytes were split. Maps and sets become arrays; booleans, doubles and big numbers, which no
 * answer here has, stay the text that they are.
 */
export function createRespReader(onValue: (value: RespValue) => void): (chunk: Buffer) => void {
  let bytes: Buffer = Buffer.alloc(0)
  let at = 0

  return (chunk) => {
    bytes = at === bytes.length ? chunk : Buffer.concat([bytes.subarray(at), chunk])
    at = 0
    while (at < bytes.length) {
      const from = at
      const value = readValue()
      if (value === incomplete) {
        at = from
        return
      }
      onValue(value)
    }
  }

  function readValue(): Parsed {
    const type = bytes[at]
    const end = bytes.indexOf(lineEnd, at)
    if (end < 0 || end + 1 >= bytes.length) return incomplete
    const line = bytes.toString('latin1', at + 1, end)
    at = end + 2
    switch (type) {
      case plus:
        return line
      case minus:
        return new ReplyError(line)
      case colon:
        return Number(line)
      case underscore:
        return null
      case dollar:
        return readBulk(Number(line))
      case star:
      case tilde:
        return line === '-1' ? null : readItems(Number(line))
      case percent:
        return readItems(2 * Number(line))
      case greater: {
        const items = readItems(Number(line))
        return items === incomplete ? items : new Push(items)
      }
      default:
        return line
    }
  }

  function readBulk(length: number): Parsed {
    if (length < 0) return null
    const end = at + length
    if (end + 2 > bytes.length) return incomplete
    const text = bytes.toString('utf8', at, end)
    at = end + 2
    return text
  }

  function readItems(count: number): readonly RespValue[] | typeof incomplete {
    const items: RespValue[] = []
    for (let i = 0; i < count; i += 1) {
      const item = readValue()
      if (item === incomplete) return incomplete
      items.push(item)
    }
    return items
  }
}

/** Writes a command as an array of strings. */
export function respCommand(args: readonly string[]): string {
  let text = `*${args.length}\r\n`
  for (const arg of args) text += `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`
  return text
}
