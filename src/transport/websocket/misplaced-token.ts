const otherNames = /^(auth|access|id|bearer)?[-_]?(token|jwt)$|^bearer$/i

/**
 * A client may have put its token elsewhere than into `authorization` of the payload of connection_init, such as into `token` or
 * `headers.authorization`. The token is not read there: the client is only told where it belongs.
 */
export function misplacedToken(params: Record<string, unknown> | undefined): string | undefined {
  for (const [name, value] of Object.entries(params ?? {})) {
    if (isText(value) && otherNames.test(name)) return name
    if (name.toLowerCase() !== 'headers' || typeof value !== 'object') continue
    const header = Object.entries(value ?? {}).find(
      ([each, text]) => each.toLowerCase() === 'authorization' && isText(text),
    )
    if (header) return `${name}.${header[0]}`
  }
  return undefined
}

/** A client without a token may send an empty one. */
const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

/** The text fits into a close frame: 123 bytes. `found` matches one of the names above, all of which are short. */
export const missingTokenReason = (found: string | undefined): string =>
  found === undefined
    ? 'Token missing: expected connectionParams.authorization = "Bearer <token>"'
    : `Token misplaced in connectionParams.${found}: expected connectionParams.authorization = "Bearer <token>"`
