// Secrets of which the first is used and all are accepted, so that each can be replaced while the nodes run: docs/operations.md has the steps.

import { z } from 'zod'
import { bytes } from './variable-rules.ts'

export type SecretList = readonly [Uint8Array, ...Uint8Array[]]

/** Stands before a secret that is no text, such as one that was derived from another. */
const base64Prefix = 'base64:'

/** Spaces around a comma do not count. The ends are left alone: a secret that ends with a line break is another one than without it. */
const partsOf = (text: string): string[] => text.split(/\s*,\s*/).filter((part) => part !== '')

const toList = (secrets: Uint8Array[], context: z.RefinementCtx): SecretList => {
  const [first, ...others] = secrets
  if (first) return [first, ...others]
  context.addIssue({ code: 'custom', message: 'names no secret' })
  return z.NEVER
}

/** A list of texts, each of which has at least so many bytes. */
export const textSecrets = (minBytes: number) =>
  z
    .string()
    .transform((text) => partsOf(text).map(bytes))
    .refine((secrets) => secrets.every(({ length }) => length >= minBytes), {
      error: ({ input }) =>
        `must have at least ${minBytes} bytes${(input as object[]).length > 1 ? ' in each part: a comma separates two secrets' : ''}`,
    })
    .transform(toList)

/** A list of texts, and of bytes as `base64:…`. */
export const anySecrets = z
  .string()
  .refine((text) => partsOf(text).every(isReadable), { error: `has a secret after ${base64Prefix} that is not base64` })
  .transform((text) => partsOf(text).map(bytesOf))
  .transform(toList)

/** Returns the text that `anySecrets` reads as these secrets. */
export const secretsText = (secrets: SecretList): string =>
  secrets.map((secret) => `${base64Prefix}${Buffer.from(secret).toString('base64')}`).join(',')

const isReadable = (part: string): boolean =>
  !part.startsWith(base64Prefix) || /^[A-Za-z0-9+/]+={0,2}$/.test(part.slice(base64Prefix.length))

const bytesOf = (part: string): Uint8Array =>
  part.startsWith(base64Prefix) ? new Uint8Array(Buffer.from(part.slice(base64Prefix.length), 'base64')) : bytes(part)

/** Makes a list of secrets out of another, each out of its own. */
export const mapSecrets = ([first, ...others]: SecretList, derive: (secret: Uint8Array) => Uint8Array): SecretList => [
  derive(first),
  ...others.map(derive),
]
