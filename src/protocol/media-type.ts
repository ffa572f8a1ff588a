import { fileNameMaxCodePoints } from './limits.ts'

// Which type and name a file may have, and how a browser should treat it.

const contentTypeRule = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/
/** Matches control characters, among them those that reverse the direction of writing and make `gnp.exe` look like `exe.png`. */
const unfitForName = /[\p{Cc}\p{Surrogate}\p{Bidi_Control}\u2028\u2029/\\]/u

/** Returns why this cannot be a file's type, or undefined if it can. */
export const contentTypeProblem = (contentType: string): string | undefined =>
  contentTypeRule.test(contentType)
    ? undefined
    : 'contentType must be a MIME type in lower case, without parameters, such as image/png.'

/** Returns why this cannot be a file's name, or undefined if it can. */
export function fileNameProblem(name: string): string | undefined {
  if (name === '' || name.length > 2 * fileNameMaxCodePoints || [...name].length > fileNameMaxCodePoints) {
    return `name must have 1 to ${fileNameMaxCodePoints} characters.`
  }
  if (unfitForName.test(name) || name === '.' || name === '..') {
    return 'name must be a file name, without a path and without control characters.'
  }
  return undefined
}

/** Pictures, sound, film and PDF are shown. All else is only downloaded, as a browser might run it: HTML, SVG, scripts. */
const isShownInline = (contentType: string): boolean =>
  contentType === 'application/pdf' || (/^(image|audio|video)\//.test(contentType) && !contentType.endsWith('xml'))

/** Returns the value of the header of that name. */
export function contentDisposition({ contentType, name }: { contentType: string; name?: string }): string {
  const kind = isShownInline(contentType) ? 'inline' : 'attachment'
  return name === undefined ? kind : `${kind}; filename*=UTF-8''${encodeAttribute(name)}`
}

/** RFC 8187 allows fewer characters than a URI does. */
const encodeAttribute = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
