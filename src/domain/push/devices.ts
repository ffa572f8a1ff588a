import { LRUCache } from 'lru-cache'
import type { Ports } from '../../ports/ports.ts'
import type { Device, PushPlatform } from '../../ports/push.ts'
import { badInput } from '../../protocol/errors.ts'
import type { DeviceId, UserId } from '../../protocol/ids.ts'
import { devicesMax } from '../../protocol/limits.ts'
import { entriesMax } from '../../shared/entries-max.ts'

// Registers the devices that users can be pushed to.
//
// A browser or a phone changes hands: Bob signs in where Alice was. So a token has one owner, and the row that names the owner is written
// first: from then on nothing of Alice's is pushed to it, even if her own row still has the token. A crash after that leaves a token whose
// owner has no device yet, which the client's retry repairs. Rows of former owners are removed here, or when they are next met.

/** After this time a node finds the first device of a user that was registered on another node. */
const noDeviceTtlMs = 60_000

type Registration = { deviceId: DeviceId; platform: PushPlatform; token: string }

export type Devices = ReturnType<typeof createDevices>

export function createDevices({ devices, push, clock }: Pick<Ports, 'devices' | 'push' | 'clock'>, cacheSize: number) {
  // These users have no device. In a large group most have none, and they cost only the first look.
  const without = new LRUCache<UserId, true>({
    ...entriesMax(cacheSize),
    ttl: noDeviceTtlMs,
    perf: { now: clock.now },
    ttlResolution: 0,
  })

  /** Registers a device. If the user has too many, those that were registered longest ago are removed. */
  async function register(userId: UserId, { deviceId, platform, token }: Registration): Promise<void> {
    const provider = push?.providers[platform]
    if (!provider) throw badInput('platform', `${platform} is not set up on this server.`)
    const problem = provider.tokenProblem(token)
    if (problem) throw badInput('token', problem)

    const device: Device = { userId, deviceId, platform, token, registeredAtMs: clock.now() }
    const [own, [formerOwner]] = await Promise.all([devices.ofUser(userId), devices.ownersOf([device])])
    await devices.own(device)
    await devices.put(device)
    without.delete(userId)

    const replaced = own.find((each) => each.deviceId === deviceId && !isSameToken(each, device))
    const others = own
      .filter((each) => each.deviceId !== deviceId && !isSameToken(each, device))
      .sort((one, other) => other.registeredAtMs - one.registeredAtMs)
    const tooMany = others.slice(devicesMax - 1)
    const isMoved = formerOwner && (formerOwner.userId !== userId || formerOwner.deviceId !== deviceId)
    await Promise.all([
      replaced && devices.disown(replaced),
      isMoved && devices.remove({ ...device, ...formerOwner }),
      ...tooMany.map(remove),
    ])
  }

  async function unregister(userId: UserId, deviceId: DeviceId): Promise<void> {
    const device = (await devices.ofUser(userId)).find((each) => each.deviceId === deviceId)
    if (device) await remove(device)
  }

  /** Removes the device first: a token's row that is left over does no harm. */
  async function remove(device: Device): Promise<void> {
    await devices.remove(device)
    await devices.disown(device)
  }

  /** Returns the devices that still own their token. */
  async function of(userId: UserId): Promise<Device[]> {
    if (without.has(userId)) return []
    const found = await devices.ofUser(userId)
    if (found.length === 0) {
      without.set(userId, true)
      return []
    }
    const owners = await devices.ownersOf(found)
    const isOwn = (device: Device, i: number) => owners[i]?.userId === userId && owners[i]?.deviceId === device.deviceId
    await Promise.all(found.filter((device, i) => !isOwn(device, i)).map((device) => devices.remove(device)))
    return found.filter(isOwn)
  }

  return { register, unregister, remove, of, publicKey: () => push?.publicKey }
}

const isSameToken = (one: Device, other: Device): boolean =>
  one.platform === other.platform && one.token === other.token
