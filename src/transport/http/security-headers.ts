/**
 * The headers that every answer has; a page that needs more permissions overwrites them. Strict-Transport-Security is not among them: it binds
 * a whole host with all its ports, and only the holder of the host's certificate can promise that.
 */
const headers = Object.freeze({
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  // Browsers that do not know frame-ancestors need this one.
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  // This does not concern CORS: pages of ALLOWED_ORIGINS can read what they ask for.
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cache-control': 'no-store',
})

/** The list has names and values in turn. */
export const securityHeaders: readonly string[] = Object.entries(headers).flat()
