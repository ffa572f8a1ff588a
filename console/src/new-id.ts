/** Makes a clientMessageId. Pages without TLS have no crypto.randomUUID. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
