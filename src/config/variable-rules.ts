// Rules that several sections of the configuration use for their variables.

import { z } from 'zod'

export type Environment = Readonly<Record<string, string | undefined>>

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

export const hasProtocol = (text: string, ...protocols: string[]): boolean =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol)

export const flag = z.enum(['true', 'false', '1', '0', 'on', 'off'], { error: 'must be true or false' }).transform(
  // Operators write it in all these ways.
  (value) => value === 'true' || value === '1' || value === 'on',
)

export const httpUrl = z
  .string()
  .refine((url) => hasProtocol(url, 'http:', 'https:'), { error: 'must be http://… or https://…' })

export const count = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { error: `must be 0 to ${max}`, abort: true })
    .transform(Number)
    .refine((value) => value <= max, { error: `must be 0 to ${max}` })
    .optional()
