import { createHash } from 'node:crypto'
import type { Device } from '../ports/push.ts'

/** Tokens are hashed, as one may be longer than a key of DynamoDB. */
export const hashOfToken = ({ platform, token }: Pick<Device, 'platform' | 'token'>): string =>
  createHash('sha256').update(`${platform} ${token}`).digest('base64url')
