import { describe, expect, it } from 'vitest'
import type { UserId } from '../../src/protocol/ids.ts'
import { upTo } from '../kit/ids.ts'
import { pushWorld } from './kit.ts'

const [alice, bob, carol] = ['alice', 'bob', 'carol'] as [UserId, UserId, UserId]

describe('a device', () => {
  it('is told what its present owner is, whosever it was', async () => {
    const world = pushWorld()
    await world.register(bob, 'tablet')
    await world.register(carol, 'tablet')
    await world.say(alice, bob, 'for bob')
    await world.say(alice, carol, 'for carol')
    await world.workOff()
    expect(world.lines()).toEqual(['tablet alice: for carol'])
    expect(await world.devicesOf(bob)).toEqual([])
  })

  it('whose move was cut short is nobody else’s all the same', async () => {
    const world = pushWorld()
    await world.register(bob, 'tablet')
    const { put } = world.ports.devices
    world.ports.devices.put = async () => {
      throw new Error('cut')
    }
    await expect(world.register(carol, 'tablet')).rejects.toThrow('cut')
    world.ports.devices.put = put
    await world.say(alice, bob, 'for bob')
    await world.workOff()
    expect(world.lines()).toEqual([])
    expect(await world.devicesOf(bob)).toEqual([])
    await world.register(carol, 'tablet')
    await world.say(alice, carol, 'for carol')
    await world.workOff()
    expect(world.lines()).toEqual(['tablet alice: for carol'])
  })

  it('with another token has only that one; registering twice is once', async () => {
    const world = pushWorld()
    await world.register(bob, 'old', 'phone')
    await world.register(bob, 'new', 'phone')
    await world.register(bob, 'new', 'phone')
    await world.say(alice, bob, 'one')
    await world.workOff()
    expect(world.lines()).toEqual(['new alice: one'])
    expect(await world.ports.devices.ownersOf([{ platform: 'LOG', token: 'old' }])).toEqual([undefined])
  })

  it('that has another name has one row', async () => {
    const world = pushWorld()
    await world.register(bob, 'token', 'phone')
    await world.register(bob, 'token', 'phone-2')
    expect(await world.devicesOf(bob)).toEqual(['phone-2'])
  })

  it('too many makes the oldest go', async () => {
    const world = pushWorld()
    for (const n of upTo(22)) {
      world.pass(1)
      await world.register(bob, `token-${n}`)
    }
    const devices = await world.devicesOf(bob)
    expect(devices).toHaveLength(20)
    expect(devices).not.toContain('token-1')
    expect(devices).not.toContain('token-2')
  })

  it('that is unregistered is told nothing; one that is registered late is told within a minute', async () => {
    const world = pushWorld()
    await world.register(bob, 'bobs')
    await world.domain.devices.unregister(bob, 'bobs' as never)
    await world.domain.devices.unregister(bob, 'bobs' as never)
    await world.say(alice, bob, 'one')
    await world.workOff()
    expect(world.lines()).toEqual([])
    const elsewhere = world.startNode()
    await elsewhere.devices.register(bob, { deviceId: 'bobs' as never, platform: 'LOG', token: 'bobs' })
    world.pass(60_001)
    await world.say(alice, bob, 'two')
    await world.workOff()
    expect(world.lines()).toEqual(['bobs alice: two'])
  })
})
