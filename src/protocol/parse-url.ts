/**
 * Returns undefined for what is no URL. `URL.canParse` is not used for what users send: in Node 20.20, once its caller is hot, it denies
 * every text with letters such as ü. test/protocol/parse-url.test.ts shows it where `canParse` is put back.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
