/** What the console reads of a token. Whether it is good is for the server to say. */
export type Token = { text: string; service: string; expiresAtMs?: number }

export const adminScope = 'parley:admin'

/** Reads what somebody has pasted. Throws an error whose message says what is wrong with it. */
export function readToken(pasted: string, nowMs: number): Token {
  const text = pasted.trim().replace(/^(authorization:\s*)?bearer\s+/i, '')
  const claims = claimsOf(text)
  if (!claims)
    throw new Error(
      'This is no token. A token is a JWT: three parts in letters, digits, - and _, with a dot between them.',
    )
  const { sub, exp, scope } = claims
  const expiresAtMs = typeof exp === 'number' ? exp * 1000 : undefined
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) {
    throw new Error(`This token expired on ${new Date(expiresAtMs).toLocaleString()}. Make a fresh one.`)
  }
  if (typeof scope !== 'string') {
    throw new Error(
      `This is a user’s token: it has no scope. The console takes a service’s, whose scope holds ${adminScope}.`,
    )
  }
  if (!scope.split(' ').includes(adminScope)) {
    throw new Error(`The scope of this token is “${scope}”. The console needs ${adminScope} in it.`)
  }
  return { text, service: typeof sub === 'string' ? sub : '', ...(expiresAtMs !== undefined && { expiresAtMs }) }
}

function claimsOf(text: string): Record<string, unknown> | undefined {
  const [, claims] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(text) ?? []
  if (claims === undefined) return undefined
  try {
    const bytes = Uint8Array.from(atob(claims.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0))
    const read: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof read === 'object' && read !== null ? { ...read } : undefined
  } catch {
    return undefined
  }
}
