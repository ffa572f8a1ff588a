import { parseUrl } from '../../../../src/protocol/parse-url.ts'

type TextPart = { text: string; href?: string }

const candidate = /(?<![\p{L}\p{N}_@])(?:https?:\/\/|www\.)[^\s<>"`\p{Cc}\p{Cf}]+/giu
const trailing = /[.,;:!?'’”»…*_~]/u
const brackets: Record<string, string> = { ')': '(', ']': '[', '}': '{' }

/** Splits a text at its web addresses. Only http and https become links. */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const { 0: found, index } of text.matchAll(candidate)) {
    const address = withoutEnd(found)
    const href = hrefOf(address)
    if (!href) continue
    if (index > end) parts.push({ text: text.slice(end, index) })
    parts.push({ text: address, href })
    end = index + address.length
  }
  if (end < text.length) parts.push({ text: text.slice(end) })
  return parts
}

/** "(see https://a.example/b)." ends before the bracket; "https://a.example/b_(c)" has its own. */
function withoutEnd(found: string): string {
  // Brackets are counted once, because counting them at each step would take quadratic time.
  const unopened: Record<string, number> = {}
  for (const [closing, opening] of Object.entries(brackets)) {
    unopened[closing] = count(found, closing) - count(found, opening)
  }
  let end = found.length
  for (; end > 0; end -= 1) {
    const last = found.charAt(end - 1)
    if ((unopened[last] ?? 0) > 0) unopened[last] = (unopened[last] ?? 0) - 1
    else if (!trailing.test(last)) break
  }
  return found.slice(0, end)
}

const count = (text: string, letter: string): number => text.split(letter).length - 1

function hrefOf(address: string): string | undefined {
  const whole = /^www\./i.test(address) ? `https://${address}` : address
  const url = parseUrl(whole)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined
  // A user name before an @ may look like a host.
  if (url.username || url.password) return undefined
  const isHost = url.hostname === 'localhost' || url.hostname.includes('.') || url.hostname.startsWith('[')
  return isHost && !url.hostname.endsWith('.') ? url.href : undefined
}
