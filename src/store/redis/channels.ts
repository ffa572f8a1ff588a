import type { RedisLink } from '../../engine/redis/client.ts'
import type { RedisScript } from '../../engine/redis/command.ts'
import type { EventListener, EventSubscription } from '../../ports/events.ts'
import type { Message } from '../../ports/log.ts'
import { unavailable } from '../../protocol/errors.ts'
import { decodeEvent, encodeEvent } from './event-wire.ts'
import { createPubSub } from './pub-sub.ts'

/** What an ear asks of whoever made it. */
type Head = { flush(name: string): Promise<void>; drop(channel: Channel, ear: Ear): void }

/** One subscription. There is at least one for each open stream, so it is small. */
class Ear implements EventSubscription {
  readonly listener: EventListener
  /** Only a confirmed one can miss anything. */
  confirmed = false
  missed = false
  readonly #head: Head
  readonly #channel: Channel

  constructor(head: Head, channel: Channel, listener: EventListener) {
    this.#head = head
    this.#channel = channel
    this.listener = listener
  }

  flush(): Promise<void> {
    return this.#head.flush(this.#channel.name)
  }

  async close(): Promise<void> {
    this.#head.drop(this.#channel, this)
  }
}

type Channel = { name: string; ears: Set<Ear>; subscribed: Promise<() => void> }
type Mark = { heard: () => void; lost: (error: Error) => void }

type Channels = { subscribe(name: string, listener: EventListener): Promise<EventSubscription> }

/** Told of each message that comes with the address of a trace. */
export type OnTraced = (message: Message, traceparent: unknown) => void

/** The channels this process listens to, each subscribed to once however many listen here. */
export function createChannelsRedis(link: RedisLink, publish: RedisScript, onTraced?: OnTraced): Channels {
  const pubSub = createPubSub(link)
  const channels = new Map<string, Channel>()
  const marks = new Map<string, Mark>()
  let marksMade = 0
  let hearing = gate()
  const head: Head = { flush, drop }

  link.watch({
    lost() {
      hearing = gate()
      for (const ear of allEars()) ear.missed = ear.confirmed
      for (const mark of marks.values()) mark.lost(new Error('The link to Redis was lost'))
    },
    restored() {
      hearing.open()
      for (const ear of allEars()) {
        if (ear.missed) tellGap(ear)
        ear.missed = false
      }
    },
    closed() {
      for (const ear of allEars()) tellGap(ear)
      channels.clear()
    },
  })

  return {
    async subscribe(name, listener) {
      const channel = channels.get(name) ?? openChannel(name)
      const ear = new Ear(head, channel, listener)
      channel.ears.add(ear)
      const confirmed = channel.subscribed.then(() => hearing.opened)
      try {
        await link.inTime(confirmed)
      } catch (error) {
        drop(channel, ear)
        throw unavailable(error)
      }
      ear.confirmed = true
      return ear
    },
  }

  function openChannel(name: string): Channel {
    const channel: Channel = {
      name,
      ears: new Set(),
      subscribed: pubSub.subscribe(name, (wire) => hear(channel, wire)),
    }
    channels.set(name, channel)
    channel.subscribed.catch(() => forget(channel))
    return channel
  }

  /** The last one out unsubscribes, once Redis has answered: somebody else may have come in until then. */
  function drop(channel: Channel, ear: Ear): void {
    channel.ears.delete(ear)
    const leave = (unsubscribe: () => void) => {
      if (channel.ears.size === 0 && forget(channel)) unsubscribe()
    }
    channel.subscribed.then(leave, () => undefined)
  }

  function forget(channel: Channel): boolean {
    return channels.get(channel.name) === channel && channels.delete(channel.name)
  }

  function hear(channel: Channel, wire: unknown): void {
    const event = decodeEvent(wire)
    if (event === undefined) link.onError(new Error(`Ignored a malformed event on ${channel.name}`))
    else if (event.type === 'flush') marks.get(event.id)?.heard()
    else {
      if (onTraced && event.type === 'message') onTraced(event.message, (wire as { traceparent?: unknown }).traceparent)
      for (const { listener } of channel.ears) {
        try {
          listener.event(event)
        } catch (error) {
          report(error)
        }
      }
    }
  }

  /**
   * A mark, published where the user's messages are and heard here, has everything before it in front of it. A PING on the
   * listening connection would do for a single Redis, but not in a cluster, where messages pass from node to node.
   */
  async function flush(name: string): Promise<void> {
    marksMade += 1
    const id = `${link.id}:${marksMade}`
    const passed = new Promise<void>((heard, lost) => marks.set(id, { heard, lost }))
    const publishAndHear = async () => {
      await hearing.opened
      await publish([name], [encodeEvent({ type: 'flush', id })])
      await passed
    }
    try {
      await link.roundTrip('events.flush', () => Promise.race([publishAndHear(), passed]))
    } finally {
      marks.delete(id)
    }
  }

  function* allEars(): Iterable<Ear> {
    for (const channel of channels.values()) yield* channel.ears
  }

  function tellGap({ listener }: Ear): void {
    try {
      listener.gap()
    } catch (error) {
      report(error)
    }
  }

  /** One listener's failure is not the next one's. */
  function report(error: unknown): void {
    link.onError(error instanceof Error ? error : new Error(String(error)))
  }
}

function gate(): { open: () => void; opened: Promise<void> } {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}
