import type { RedisLink } from '../../engine/redis/client.ts'
import type { RedisScript } from '../../engine/redis/command.ts'
import type { EventListener, EventSubscription } from '../../ports/events.ts'
import type { Message } from '../../ports/log.ts'
import { unavailable } from '../../protocol/errors.ts'
import { decodeEvent, encodeEvent } from './event-wire.ts'
import { type Gate, gate } from './gate.ts'
import { createPubSub } from './pub-sub.ts'

/** A subscription needs this of the channels it belongs to. */
type SubscriptionOwner = {
  flush(channel: Channel): Promise<void>
  drop(channel: Channel, subscription: Subscription): void
}

/** One subscription. There is at least one for each open stream, so it is small. */
class Subscription implements EventSubscription {
  readonly listener: EventListener
  /** Only a confirmed subscription can miss events. */
  confirmed = false
  missed = false
  readonly #owner: SubscriptionOwner
  readonly #channel: Channel

  constructor(owner: SubscriptionOwner, channel: Channel, listener: EventListener) {
    this.#owner = owner
    this.#channel = channel
    this.listener = listener
  }

  flush(): Promise<void> {
    return this.#owner.flush(this.#channel)
  }

  async close(): Promise<void> {
    this.#owner.drop(this.#channel, this)
  }
}

type Channel = {
  name: string
  subscriptions: Set<Subscription>
  subscribed: Promise<() => void>
  /** It is there while what is published may not be heard. */
  restoring?: Gate | undefined
  flushes?: Map<string, PendingFlush>
}
type PendingFlush = { heard: () => void; lost: (error: Error) => void }

type Channels = { subscribe(name: string, listener: EventListener): Promise<EventSubscription> }

/** It is called with each message that belongs to a trace. */
export type OnTraced = (message: Message, traceparent: unknown) => void

/** Keeps the channels that this process is subscribed to. It subscribes once to each, however many local subscriptions there are. */
export function createChannelsRedis(link: RedisLink, onTraced?: OnTraced): Channels {
  const pubSub = createPubSub(link)
  const channels = new Map<string, Channel>()
  let flushesMade = 0
  const owner: SubscriptionOwner = { flush, drop }

  link.onClose(() => {
    for (const channel of channels.values()) for (const subscription of channel.subscriptions) reportGap(subscription)
    channels.clear()
  })

  return {
    async subscribe(name, listener) {
      const channel = channels.get(name) ?? openChannel(name)
      const subscription = new Subscription(owner, channel, listener)
      channel.subscriptions.add(subscription)
      const confirmed = channel.subscribed.then(() => channel.restoring?.opened)
      try {
        await link.inTime(confirmed)
      } catch (error) {
        drop(channel, subscription)
        throw unavailable(error)
      }
      subscription.confirmed = true
      return subscription
    },
  }

  function openChannel(name: string): Channel {
    const channel: Channel = {
      name,
      subscriptions: new Set(),
      subscribed: pubSub.subscribe(name, {
        message: (wire) => deliver(channel, wire),
        lost: () => lose(channel),
        restored: () => restore(channel),
      }),
    }
    channels.set(name, channel)
    channel.subscribed.catch(() => forget(channel))
    return channel
  }

  function lose(channel: Channel): void {
    channel.restoring ??= gate()
    for (const subscription of channel.subscriptions) subscription.missed ||= subscription.confirmed
    for (const flush of channel.flushes?.values() ?? []) flush.lost(new Error('The link to Redis was lost'))
  }

  function restore(channel: Channel): void {
    channel.restoring?.open()
    channel.restoring = undefined
    for (const subscription of channel.subscriptions) {
      if (subscription.missed) reportGap(subscription)
      subscription.missed = false
    }
  }

  /** Unsubscribes from Redis when the last subscription is closed, but only after Redis has answered: another may have been opened by then. */
  function drop(channel: Channel, subscription: Subscription): void {
    channel.subscriptions.delete(subscription)
    const leave = (unsubscribe: () => void) => {
      if (channel.subscriptions.size === 0 && forget(channel)) unsubscribe()
    }
    channel.subscribed.then(leave, () => undefined)
  }

  function forget(channel: Channel): boolean {
    return channels.get(channel.name) === channel && channels.delete(channel.name)
  }

  function deliver(channel: Channel, wire: unknown): void {
    const event = decodeEvent(wire)
    if (event === undefined) link.onError(new Error(`Ignored a malformed event on ${channel.name}`))
    else if (event.type === 'flush') channel.flushes?.get(event.id)?.heard()
    else {
      if (onTraced && event.type === 'message') onTraced(event.message, (wire as { traceparent?: unknown }).traceparent)
      for (const { listener } of channel.subscriptions) {
        try {
          listener.event(event)
        } catch (error) {
          report(error)
        }
      }
    }
  }

  /**
   * Publishes a flush event to the same channel as the messages: when it arrives here, everything before it has arrived. A PING on the
   * subscribing connection would do for a single Redis, but not in a cluster, where messages pass from node to node. Where several kinds of
   * publishing are heard, there is a flush event of each.
   */
  async function flush(channel: Channel): Promise<void> {
    await Promise.all(link.publishers.map((publish) => flushBy(publish, channel)))
  }

  async function flushBy(publish: RedisScript, channel: Channel): Promise<void> {
    flushesMade += 1
    const id = `${link.id}:${flushesMade}`
    const flushes = channel.flushes ?? new Map<string, PendingFlush>()
    channel.flushes = flushes
    const passed = new Promise<void>((heard, lost) => flushes.set(id, { heard, lost }))
    const publishAndHear = async () => {
      await channel.restoring?.opened
      await publish([channel.name], [encodeEvent({ type: 'flush', id })])
      await passed
    }
    try {
      await link.roundTrip('events.flush', () => Promise.race([publishAndHear(), passed]))
    } finally {
      flushes.delete(id)
    }
  }

  function reportGap({ listener }: Subscription): void {
    try {
      listener.gap()
    } catch (error) {
      report(error)
    }
  }

  /** Reports the error of a listener, so that the next listener still gets the event. */
  function report(error: unknown): void {
    link.onError(error instanceof Error ? error : new Error(String(error)))
  }
}
