/**
 * Returns undefined for what is no URL. `URL.canParse` is not used for what users send: in Node 20, once its caller is hot, it denies every
 * text with letters such as ü (nodejs/node, the fast path of canParse reads Latin-1 as UTF-8).
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
