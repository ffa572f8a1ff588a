// Reads one HTTP/1.1 response to a POST out of the bytes of a connection, however they were cut. It accepts what a server of DynamoDB's
// API sends, and is strict about the rest: it rejects bytes that it cannot be sure of.

export type HttpResponse = {
  status: number
  header: (name: string) => string | undefined
  /** The caller reads it at once: the memory is used again for the next response. */
  body: Buffer
}

export class MalformedAnswerError extends Error {
  override name = 'MalformedAnswerError'
}

const headMax = 16 * 1024
const [LF, CR, colon, space, tab] = [10, 13, 58, 32, 9]
const headEnd = Buffer.from('\r\n\r\n')
const nothing = Buffer.alloc(0)

type Expected = 'head' | 'sized' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer' | 'until-close' | 'nothing'

export class ResponseReader implements HttpResponse {
  status = 0
  body: Buffer = nothing
  /** Whether no other response can come over the connection. */
  isLast = false
  /** How long the server says it keeps an idle connection. */
  keepAliveMs: number | undefined
  #head = ''
  #expected: Expected = 'head'
  #length: number | undefined
  #isChunked = false
  #left = 0
  /** These are the bytes so far of a head or a line that is not complete. */
  #part: Buffer = nothing
  #chunks: Buffer[] = []

  begin(): void {
    this.status = 0
    this.body = nothing
    this.isLast = false
    this.keepAliveMs = undefined
    this.#expected = 'head'
    this.#part = nothing
    this.#chunks = []
  }

  /** Whether the head is there, and is not one of those that only announce another. */
  get hasBegun(): boolean {
    return this.#expected !== 'head'
  }

  header = (name: string): string | undefined => {
    for (let at = this.#head.indexOf('\n') + 1; at > 0; at = this.#head.indexOf('\n', at) + 1) {
      const end = at + name.length
      if (this.#head.charCodeAt(end) === colon && this.#head.slice(at, end).toLowerCase() === name) {
        return valueIn(this.#head, end + 1)
      }
    }
    return undefined
  }

  /** Returns whether the answer is complete. Throws if the bytes are no answer. The memory may be used again afterwards. */
  read(bytes: Buffer, length: number): boolean {
    if (this.#expected === 'sized') return this.#readSized(bytes, 0, length)
    if (this.#expected !== 'head') return this.#readUnsized(bytes, 0, length)
    if (this.#part.length === 0) return this.#readHead(bytes, 0, length)
    const joined = Buffer.concat([this.#part, bytes.subarray(0, length)])
    this.#part = nothing
    return this.#readHead(joined, 0, joined.length)
  }

  /** The server has closed its side. Returns whether that makes the answer complete. */
  readEnd(): boolean {
    return this.#expected === 'until-close' && this.#complete(Buffer.concat(this.#chunks))
  }

  #readHead(bytes: Buffer, from: number, to: number): boolean {
    const end = bytes.indexOf(headEnd, from)
    const isThere = end !== -1 && end + headEnd.length <= to
    if ((isThere ? end : to) - from > headMax) throw new MalformedAnswerError('The head of the answer is too long.')
    if (!isThere) {
      if (from < to && bytes[from] !== 0x48) throw new MalformedAnswerError('The answer is not HTTP.')
      this.#part = Buffer.from(bytes.subarray(from, to))
      return false
    }
    this.#takeHead(bytes.toString('latin1', from, end + 2))
    const next = end + headEnd.length
    if (this.status < 200) return this.#readHead(bytes, next, to)
    if (this.status === 204 || this.status === 304) this.#length = 0
    else if (this.#isChunked) {
      this.#expected = 'chunk-size'
      return this.#readUnsized(bytes, next, to)
    }
    if (this.#length === undefined) {
      this.isLast = true
      this.#expected = 'until-close'
      return this.#readUnsized(bytes, next, to)
    }
    this.#expected = 'sized'
    this.#left = this.#length
    return this.#readSized(bytes, next, to)
  }

  #takeHead(head: string): void {
    const [, minor, status] = /^HTTP\/1\.([01]) ([1-5]\d\d)[ \r]/.exec(head) ?? []
    if (status === undefined || status === '101') throw new MalformedAnswerError('The answer is not HTTP.')
    this.#head = head
    this.status = Number(status)
    this.isLast = minor === '0'
    this.#length = undefined
    this.#isChunked = false
    for (let at = head.indexOf('\n') + 1; at < head.length; ) {
      const end = head.indexOf('\n', at)
      const nameEnd = head.indexOf(':', at)
      if (nameEnd <= at || nameEnd > end || head.charCodeAt(end - 1) !== CR || isBlank(head.charCodeAt(nameEnd - 1))) {
        throw new MalformedAnswerError('The answer has a malformed header.')
      }
      this.#takeHeader(head, at, nameEnd)
      at = end + 1
    }
  }

  /** Most headers are of no interest, and the length of the name already tells which. */
  #takeHeader(head: string, at: number, nameEnd: number): void {
    const length = nameEnd - at
    if (length !== 10 && length !== 14 && length !== 17) return
    switch (head.slice(at, nameEnd).toLowerCase()) {
      case 'content-length': {
        const value = valueIn(head, nameEnd + 1)
        if (!/^\d{1,15}$/.test(value) || this.#length !== undefined || this.#isChunked) {
          throw new MalformedAnswerError('The length of the answer is not clear.')
        }
        this.#length = Number(value)
        return
      }
      case 'transfer-encoding':
        if (valueIn(head, nameEnd + 1).toLowerCase() !== 'chunked' || this.#length !== undefined || this.#isChunked) {
          throw new MalformedAnswerError('The length of the answer is not clear.')
        }
        this.#isChunked = true
        return
      case 'connection': {
        const value = valueIn(head, nameEnd + 1).toLowerCase()
        if (value === 'keep-alive') this.isLast = false
        else if (/(^|[ ,])close($|[ ,])/.test(value)) this.isLast = true
        return
      }
      case 'keep-alive': {
        const seconds = /timeout=(\d{1,6})/i.exec(valueIn(head, nameEnd + 1))?.[1]
        if (seconds !== undefined) this.keepAliveMs = Number(seconds) * 1000
      }
    }
  }

  #readSized(bytes: Buffer, from: number, to: number): boolean {
    const length = Math.min(this.#left, to - from)
    this.#left -= length
    const isWhole = this.#left === 0
    // No request has asked for the bytes that follow.
    if (length < to - from) this.isLast = true
    if (isWhole && this.#chunks.length === 0) return this.#complete(bytes.subarray(from, from + length))
    this.#keep(bytes, from, from + length)
    return isWhole && this.#complete(Buffer.concat(this.#chunks))
  }

  #readUnsized(bytes: Buffer, from: number, to: number): boolean {
    let at = from
    while (at < to) {
      if (this.#expected === 'until-close') {
        this.#keep(bytes, at, to)
        return false
      }
      if (this.#expected === 'chunk') {
        const end = Math.min(at + this.#left, to)
        this.#keep(bytes, at, end)
        this.#left -= end - at
        if (this.#left === 0) this.#expected = 'chunk-end'
        at = end
        continue
      }
      const found = bytes.indexOf(LF, at)
      const end = found === -1 || found >= to ? to : found + 1
      this.#part = Buffer.concat([this.#part, bytes.subarray(at, end)])
      at = end
      if (this.#part.length > headMax) throw new MalformedAnswerError('A line of the answer is too long.')
      if (this.#part.at(-1) !== LF) return false
      if (!this.#takeLine(this.#part.toString('latin1'))) continue
      if (at < to) this.isLast = true
      return this.#complete(Buffer.concat(this.#chunks))
    }
    return false
  }

  /** Reads one of the lines around chunks. Returns whether it was the last. */
  #takeLine(line: string): boolean {
    this.#part = nothing
    if (this.#expected === 'chunk-size') {
      const size = /^([0-9a-f]{1,8})[ \t]*(;[^\r]*)?\r\n$/i.exec(line)?.[1]
      if (size === undefined) throw new MalformedAnswerError('A chunk of the answer has no size.')
      this.#left = Number.parseInt(size, 16)
      this.#expected = this.#left === 0 ? 'trailer' : 'chunk'
      return false
    }
    const isEmpty = line === '\r\n'
    if (this.#expected === 'trailer') return isEmpty
    if (!isEmpty) throw new MalformedAnswerError('A chunk of the answer is longer than it says.')
    this.#expected = 'chunk-size'
    return false
  }

  #keep(bytes: Buffer, from: number, to: number): void {
    if (from < to) this.#chunks.push(Buffer.from(bytes.subarray(from, to)))
  }

  #complete(body: Buffer): true {
    this.#expected = 'nothing'
    this.body = body
    return true
  }
}

const isBlank = (code: number): boolean => code === space || code === tab

function valueIn(head: string, from: number): string {
  return head.slice(from, head.indexOf('\r', from)).trim()
}
