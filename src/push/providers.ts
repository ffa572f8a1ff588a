import type { PushPlatform, PushProvider } from '../ports/push.ts'
import { type ApnsAccount, createApns } from './apns.ts'
import { createFcm } from './fcm.ts'
import type { ServiceAccount } from './google-token.ts'
import { createLogPush } from './log.ts'
import { createWebPush, type VapidKeys } from './webpush.ts'

export type ProviderSettings = {
  vapid?: VapidKeys
  fcm?: ServiceAccount
  apns?: ApnsAccount
  print?: (line: string) => void
  now: () => number
  /** Whether only services on the internet are called. */
  publicOnly: boolean
  /** The endpoints of services that are played by a test. */
  endpoints?: { fcm?: string; apns?: string }
  timeoutMs?: number
}

type Providers = Partial<Record<PushPlatform, PushProvider>>

/** Makes the providers that are configured. */
export function createProviders(settings: ProviderSettings): Providers {
  const { vapid, fcm, apns, print, publicOnly, endpoints = {}, timeoutMs, now } = settings
  const common = { now, ...(timeoutMs !== undefined && { timeoutMs }) }
  return {
    ...(vapid && { WEBPUSH: createWebPush({ ...common, vapid, publicOnly }) }),
    ...(fcm && { FCM: createFcm({ ...common, account: fcm, ...(endpoints.fcm && { endpoint: endpoints.fcm }) }) }),
    ...(apns && {
      APNS: createApns({ ...common, account: apns, ...(endpoints.apns && { endpoint: endpoints.apns }) }),
    }),
    ...(print && { LOG: createLogPush(print) }),
  }
}
