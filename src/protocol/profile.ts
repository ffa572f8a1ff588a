import { avatarUrlMax, nameMaxCodePoints } from './limits.ts'
import { parseUrl } from './parse-url.ts'
import { isWellFormed, lineProblem } from './text.ts'

/** Returns why this cannot be a name, or undefined if it can. */
export const nameProblem = (name: string): string | undefined => lineProblem(name, 'A name', nameMaxCodePoints)

const localHosts = ['localhost', '127.0.0.1', '[::1]']

/** Returns why this cannot be the address of a picture, or undefined if it can. `local` says whether it may be on this machine. */
export function avatarUrlProblem(text: string, { local }: { local: boolean }): string | undefined {
  if (text.length > avatarUrlMax) return `avatarUrl has at most ${avatarUrlMax} characters.`
  // The URL parser would drop such characters silently.
  const isPlain = isWellFormed(text) && !/[\s\p{Cc}]/u.test(text)
  const url = isPlain ? parseUrl(text) : undefined
  const isSecure = url?.protocol === 'https:' && url.hostname !== ''
  const isLocal = local && url?.protocol === 'http:' && localHosts.includes(url.hostname)
  if (!url || !(isSecure || isLocal) || url.username !== '' || url.password !== '') {
    return 'avatarUrl must be a whole https URL without a user name or password in it.'
  }
  return undefined
}
