// Converts times to the text that tables and clients have: RFC 3339 in UTC, with milliseconds. Messages that are read or written
// together are mostly of one day, and only that part of a time is costly.

const dayMs = 24 * 60 * 60 * 1000

let writtenDay = Number.NaN
let writtenDayText = ''

/** Throws if the number is no valid time. */
export function toTimeText(ms: number): string {
  const wholeMs = Math.trunc(ms)
  const day = Math.floor(wholeMs / dayMs)
  if (day !== writtenDay) {
    writtenDayText = new Date(day * dayMs).toISOString().slice(0, -13)
    writtenDay = day
  }
  const inDayMs = wholeMs - day * dayMs
  const seconds = Math.floor(inDayMs / 1000)
  const minutes = Math.floor(seconds / 60)
  const [hour, minute, second] = [pairText(Math.floor(minutes / 60)), pairText(minutes % 60), pairText(seconds % 60)]
  return `${writtenDayText}${hour}:${minute}:${second}.${String(inDayMs % 1000).padStart(3, '0')}Z`
}

const pairText = (number: number): string => (number < 10 ? `0${number}` : `${number}`)

let readDayText = ''
let readDayMs = 0

/** A text of another form is given to Date.parse. */
export function fromTimeText(text: string): number {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)) return Date.parse(text)
  const day = text.slice(0, 10)
  if (day !== readDayText) {
    readDayMs = Date.parse(day)
    readDayText = day
  }
  const minutes = pair(text, 11) * 60 + pair(text, 14)
  const inDayMs = (minutes * 60 + pair(text, 17)) * 1000 + pair(text, 20) * 10 + digit(text, 22)
  return inDayMs < dayMs ? readDayMs + inDayMs : Number.NaN
}

/** RFC 3339 has only years of four digits. */
export const timeMinMs = Date.parse('0000-01-01T00:00:00.000Z')
export const timeMaxMs = Date.parse('9999-12-31T23:59:59.999Z')

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

/**
 * Converts a text from outside. Returns undefined if it is no date-time of RFC 3339. Date.parse alone accepts more: years, dates without a zone,
 * which it reads in the zone of this machine, and February 30. A leap second is refused, because no clock here has one.
 */
export function fromRfc3339(text: string): number | undefined {
  const [, year, month, day] = rfc3339.exec(text) ?? []
  const date = `${year}-${month}-${day}T00:00:00.000Z`
  if (year === undefined || Number.isNaN(Date.parse(date)) || new Date(date).toISOString() !== date) return undefined
  const ms = Date.parse(text.toUpperCase())
  return ms >= timeMinMs && ms <= timeMaxMs ? ms : undefined
}

const digit = (text: string, at: number): number => text.charCodeAt(at) - 48
const pair = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1)
