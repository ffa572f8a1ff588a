import { createHash } from 'node:crypto'
import type { Device } from '../ports/push.ts'

/** A token may be longer than a key of DynamoDB. */
export const hashOfToken = ({ platform, token }: Pick<Device, 'platform' | 'token'>): string =>
  createHash('sha256').update(`${platform} ${token}`).digest('base64url')
