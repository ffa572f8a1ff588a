/**
 * What every answer says, whatever it is; a page that needs more says so after this. Strict-Transport-Security is not among
 * them: it binds a whole host, all ports of it, and only who holds the host's certificate can promise that.
 */
const headers = Object.freeze({
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  // For browsers that do not know frame-ancestors.
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  // Says nothing about CORS: pages of ALLOWED_ORIGINS read what they ask for.
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cache-control': 'no-store',
})

/** Names and values in turn. */
export const securityHeaders: readonly string[] = Object.entries(headers).flat()
