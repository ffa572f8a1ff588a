import { setImmediate } from 'node:timers/promises'
import { createDomain, type Domain } from '../../src/domain/domain.ts'
import { createKeyValueMemory } from '../../src/engine/key-value/key-value.memory.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Ports } from '../../src/ports/ports.ts'
import type { Device, Notification, PushOutcome, PushProvider } from '../../src/ports/push.ts'
import type { ClientMessageId, ConversationId, DeviceId, MessageId, UserId } from '../../src/protocol/ids.ts'
import { createBannersMemory } from '../../src/store/embedded/soft-state/banners.ts'
import { createMemoryRedis } from '../../src/store/embedded/soft-state/memory-redis.ts'
import { createPushQueueMemory } from '../../src/store/embedded/soft-state/push-queue.ts'
import { createSoftStateMemory } from '../../src/store/embedded/soft-state/soft-state.ts'
import { createStoresEmbedded } from '../../src/store/embedded/stores.ts'
import { aClientMessageId } from '../kit/ids.ts'

type Answer = PushOutcome | Promise<PushOutcome>

/** The domain in memory, by a clock that is moved by hand, and devices that write down what they are told. */
export function pushWorld({ preview = true } = {}) {
  let nowMs = 1_800_000_000_000
  let ids = 0
  const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, sleep: async () => undefined }
  const told: { token: string; notification: Notification }[] = []
  const answers = new Map<string, () => Answer>()
  const counts: string[] = []

  /** A token is `name@service`. */
  const provider: PushProvider = {
    async send(token, notification) {
      told.push({ token, notification })
      return (await answers.get(token)?.()) ?? { type: 'accepted' }
    },
    tokenProblem: (token) => (token === 'bad' ? 'token is bad.' : undefined),
    laneOf: (token) => token.split('@')[1] ?? '',
    close: () => undefined,
  }
  const queue = createPushQueueMemory(clock)
  const ports: Ports = {
    ...createStoresEmbedded(createKeyValueMemory()),
    ...createSoftStateMemory(createMemoryRedis(clock)),
    push: { queue, banners: createBannersMemory(), providers: { LOG: provider } },
    clock,
  }
  const startNode = (): Domain =>
    createDomain(ports, {
      nextMessageId: () => String(++ids) as MessageId,
      randomId: () => `random ${++ids}`,
      onDetachError: () => undefined,
      push: {
        preview,
        random: () => 1,
        observer: {
          queued: (outcome) => counts.push(`queued ${outcome}`),
          sent: (platform, outcome) => counts.push(`sent ${platform} ${outcome}`),
          dead: (reason) => counts.push(`dead ${reason}`),
          failed: (error) => counts.push(`failed ${error}`),
        },
      },
    })
  const domain = startNode()

  /** One look at the queue, by this node; what it began has ended then. */
  async function work(node = domain): Promise<number> {
    // Jobs that the sender does not wait for have been handed over by then.
    await setImmediate()
    const ticked = await node.push?.tick()
    await ticked?.finished
    return ticked?.found ?? 0
  }

  return {
    domain,
    ports,
    queue,
    told,
    counts,
    startNode,
    work,
    /** Until there is nothing to do. */
    async workOff(): Promise<void> {
      while ((await work()) > 0);
    },
    pass(ms: number): void {
      nowMs += ms
    },
    now: () => nowMs,
    /** What pushes to this token are answered from now on. */
    answer: (token: string, answer: (() => Answer) | undefined) =>
      answer ? answers.set(token, answer) : answers.delete(token),
    register: (userId: UserId, token: string, deviceId = token.replace('@', '.')) =>
      domain.devices.register(userId, { deviceId: deviceId as DeviceId, platform: 'LOG', token }),
    devicesOf: async (userId: UserId): Promise<string[]> =>
      (await ports.devices.ofUser(userId)).map(({ deviceId }: Device) => deviceId),
    async say(from: UserId, to: UserId | ConversationId, body: string): Promise<ConversationId> {
      const draft = { clientMessageId: aClientMessageId(), body }
      const { message } = to.startsWith('grp_')
        ? await domain.send(await domain.access.member(from, to as ConversationId), draft)
        : await domain.sendTo(from, to as UserId, draft)
      return message.conversationId
    },
    async group(owner: UserId, others: readonly UserId[], title = 'Tea'): Promise<ConversationId> {
      const clientGroupId = aClientMessageId()
      return (await domain.groups.create(owner, { clientGroupId, title, memberIds: others })).conversation.id
    },
    async read(userId: UserId, conversationId: ConversationId, seq: number): Promise<void> {
      await domain.markRead(await domain.access.member(userId, conversationId), seq)
    },
    async remove(userId: UserId, conversationId: ConversationId, seq: number): Promise<void> {
      const member = await domain.access.member(userId, conversationId)
      const clientMessageId = 'removal' as ClientMessageId
      await domain.change(member, { clientMessageId, seq, alteration: { type: 'delete' } })
    },
    attach: (userId: UserId) => ports.sessions.attach({ userId, connectionId: `of ${userId}` }),
    leave: (userId: UserId) => ports.sessions.leave({ userId, connectionId: `of ${userId}` }),
    /** `token title: body`, or `token withdraws`. */
    lines: (): string[] =>
      told.map(({ token, notification }) =>
        notification.type === 'show' ? `${token} ${notification.title}: ${notification.body}` : `${token} withdraws`,
      ),
  }
}
