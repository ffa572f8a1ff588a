import type { PushPlatform } from '../../ports/push.ts'
import { badInput } from '../../protocol/errors.ts'
import { type DeviceId, isDeviceId } from '../../protocol/ids.ts'
import { pushTokenMax } from '../../protocol/limits.ts'
import { type Context, viewerId } from '../context.ts'

export type RegisteredDevice = { deviceId: string }

type Registering = { deviceId: string; platform: PushPlatform; token: string }

export function pushPublicKey(ctx: Context): string | null {
  viewerId(ctx)
  return ctx.domain.devices.publicKey() ?? null
}

export async function registerDevice(ctx: Context, input: Registering): Promise<RegisteredDevice> {
  const viewer = viewerId(ctx)
  const { platform, token } = input
  const deviceId = checkedDeviceId(input.deviceId)
  if (token.length < 1 || token.length > pushTokenMax)
    throw badInput('token', `token must have 1 to ${pushTokenMax} characters.`)
  await ctx.domain.devices.register(viewer, { deviceId, platform, token })
  return { deviceId }
}

export async function unregisterDevice(ctx: Context, input: { deviceId: string }): Promise<RegisteredDevice> {
  const viewer = viewerId(ctx)
  const deviceId = checkedDeviceId(input.deviceId)
  await ctx.domain.devices.unregister(viewer, deviceId)
  return { deviceId }
}

export function checkedDeviceId(deviceId: string): DeviceId {
  if (!isDeviceId(deviceId)) throw badInput('deviceId', 'deviceId must be 1 to 64 of A-Z a-z 0-9 . _ : -')
  return deviceId
}
