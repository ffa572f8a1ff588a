import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPerson, type Person, type Via } from '../kit/person.ts'
import { doBad } from './bad-deeds.ts'
import { followOverSse, followOverWs, openSlowReader, type Position, type Stream } from './streams.ts'

type CrowdOptions = {
  urls: readonly string[]
  people: number
  groups: number
  random: () => number
  signal: AbortSignal
}

type User = {
  person: Person
  way: 'ws' | 'sse' | 'polling'
  seen: Map<string, number>
  stream: Stream | undefined
}
type Group = { id: string; owner: User; inside: Set<User>; busy: boolean }
type Deed = { name: string; weight: number; expected?: readonly string[]; do(user: User): Promise<unknown> }

/** People who use all of it, some badly. What they met is counted: `outcomes` by deed and code, `unexpected` in words. */
export async function createCrowd({ urls, people, groups: groupCount, random, signal }: CrowdOptions) {
  setMaxListeners(0, signal)
  const outcomes = new Map<string, number>()
  const unexpected = new Map<string, number>()
  const latenciesMs: number[] = []
  let over = false
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

  const users: User[] = await Promise.all(
    Array.from({ length: people }, async (_, i) => ({
      person: await createPerson(`soak-${i}`, urls[i % urls.length] ?? '', { name: `Person ${i}` }, '12h'),
      way: (['ws', 'ws', 'sse', 'polling'] as const)[i % 4] ?? 'ws',
      seen: new Map<string, number>(),
      stream: undefined,
    })),
  )
  const groups: Group[] = []
  for (let i = 0; i < groupCount; i += 1) groups.push(await found(i))
  for (const user of users) {
    open(user, [])
    await sleep(50)
  }

  async function found(i: number): Promise<Group> {
    const owner = users[i % users.length] as User
    const inside = users.filter((user, j) => user === owner || j % groupCount === i)
    const { createGroup } = await owner.person.ask<{ createGroup: { conversation: { id: string } } }>(
      'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { conversation { id } } }',
      {
        input: { clientGroupId: `g${i}`, title: `Group ${i}`, memberIds: inside.map(({ person }) => person.userId) },
      },
    )
    return { id: createGroup.conversation.id, owner, inside: new Set(inside), busy: false }
  }

  function open(user: User, after: Position[]): void {
    if (user.way === 'polling' || user.stream) return
    const follow = user.way === 'ws' ? followOverWs : followOverSse
    const stream = follow(user.person, after, (error) => {
      if (user.stream === stream) user.stream = undefined
      // Somebody was taken out of a group that their device names, or is not yet told to be.
      note('stream', error, ['NOT_FOUND'])
    })
    user.stream = stream
  }

  async function close(user: User, goodbye: boolean): Promise<void> {
    look(user)
    const { stream } = user
    user.stream = undefined
    await stream?.stop(goodbye)
  }

  function look({ stream, seen }: User): void {
    for (const { conversationId, seq } of stream?.taken() ?? []) {
      seen.set(conversationId, Math.max(seq, seen.get(conversationId) ?? 0))
    }
  }

  const via = (): Via => pick(['http', 'ws', 'rest'])
  const notRest = (): Via => pick(['http', 'ws'])
  const groupOf = (user: User) => pick(groups.filter(({ inside }) => inside.has(user)))
  const wordOf = () => pick(['hi', 'how are you?', '👩‍👩‍👧 e\u0301', 'x'.repeat(1 + Math.floor(random() * 2000))])
  const neighbour = (user: User) => users[(users.indexOf(user) + 1 + Math.floor(random() * 3)) % users.length] as User
  const positionOf = (user: User): [string, number] | undefined => {
    look(user)
    return user.seen.size > 0 ? pick([...user.seen]) : undefined
  }
  const atPosition = async (user: User, then: (id: string, seq: number) => Promise<unknown>) => {
    const position = positionOf(user)
    return position && then(...position)
  }
  /** Looks at something for a while. */
  async function watch(stream: { fails(): Promise<unknown>; stop(): Promise<void> }): Promise<void> {
    await sleep(1000 + random() * 5000, undefined, { signal }).catch(() => undefined)
    await stream.stop()
  }

  async function changeMembers(group: Group): Promise<void> {
    if (group.busy) return
    group.busy = true
    try {
      const other = pick(users.filter((user) => user !== group.owner))
      const userIds = [other.person.userId]
      const isInside = group.inside.has(other)
      const change = isInside && group.inside.size > 3 ? { remove: userIds } : { add: userIds }
      if ('remove' in change) group.inside.delete(other)
      await group.owner.person.ask(
        'mutation ($input: UpdateMembersInput!) { updateMembers(input: $input) { conversation { id } } }',
        { input: { conversationId: group.id, ...change } },
      )
      if ('add' in change) group.inside.add(other)
    } finally {
      group.busy = false
    }
  }

  const deeds: Deed[] = [
    { name: 'send', weight: 30, do: (user) => user.person.send(neighbour(user).person, wordOf(), { via: via() }) },
    {
      name: 'send to a group',
      weight: 6,
      expected: ['NOT_FOUND'],
      async do(user) {
        const group = groupOf(user)
        return group && user.person.send({ conversationId: group.id }, wordOf(), { via: via() })
      },
    },
    {
      name: 'resend',
      weight: 2,
      async do(user) {
        const [to, clientMessageId, word] = [neighbour(user).person, randomUUID(), wordOf()]
        await user.person.send(to, word, { clientMessageId, via: via() })
        await user.person.send(to, word, { clientMessageId, via: via() })
      },
    },
    {
      name: 'ack',
      weight: 14,
      expected: ['NOT_FOUND'],
      do: (user) => atPosition(user, (id, seq) => user.person.ack(id, seq, { via: notRest() })),
    },
    {
      name: 'read',
      weight: 8,
      expected: ['NOT_FOUND'],
      do: (user) => atPosition(user, (id, seq) => user.person.markRead(id, seq, { via: notRest() })),
    },
    {
      name: 'page',
      weight: 8,
      expected: ['NOT_FOUND'],
      do: (user) =>
        atPosition(user, async (id) => {
          const { pageInfo } = await user.person.history(id, { first: 10 })
          await user.person.history(id, { first: 20, after: pageInfo.endCursor })
        }),
    },
    { name: 'list', weight: 4, do: ({ person }) => person.conversations({ first: 20 }) },
    {
      name: 'type',
      weight: 6,
      expected: ['NOT_FOUND'],
      do: (user) => atPosition(user, (id) => user.person.setTyping(id, random() < 0.7)),
    },
    {
      name: 'change',
      weight: 4,
      // Of somebody else, deleted meanwhile, or no message at all.
      expected: ['NOT_FOUND', 'FORBIDDEN', 'BAD_USER_INPUT'],
      do: (user) =>
        atPosition(user, (id, seq) => {
          const kind = random()
          if (kind < 0.6) return user.person.react(id, seq, pick(['👍', '🎉']), random() < 0.6)
          return kind < 0.9 ? user.person.edit(id, seq, wordOf()) : user.person.remove(id, seq)
        }),
    },
    {
      name: 'reconnect',
      weight: 4,
      async do(user) {
        if (!user.stream) return open(user, [])
        await close(user, random() < 0.5)
        const after = [...user.seen].map(([conversationId, seq]) => ({ conversationId, seq }))
        open(user, random() < 0.5 ? after : [])
      },
    },
    {
      name: 'go away and come back',
      weight: 1,
      async do(user) {
        await close(user, random() < 0.5)
        await sleep(random() * 20_000, undefined, { signal }).catch(() => undefined)
        if (!user.stream && !signal.aborted && !over) open(user, [])
      },
    },
    {
      name: 'watch',
      weight: 3,
      expected: ['NOT_FOUND'],
      do: async (user) => {
        const { person } = user
        const position = positionOf(user)
        const streams = [
          () => person.followTicks(),
          () => person.followConversations(),
          () => person.followChanges(),
          () => person.followPresence([neighbour(user).person.userId]),
          ...(position ? [() => person.followTyping(position[0])] : []),
        ]
        await watch(pick(streams)())
      },
    },
    { name: 'change members', weight: 2, expected: ['NOT_FOUND'], do: () => changeMembers(pick(groups)) },
    {
      name: 'leave a group',
      weight: 0.3,
      expected: ['NOT_FOUND'],
      async do(user) {
        const group = groupOf(user)
        if (!group || group.owner === user || group.busy) return
        group.inside.delete(user)
        const input = { conversationId: group.id }
        const leave =
          'mutation ($input: LeaveConversationInput!) { leaveConversation(input: $input) { conversationId } }'
        await user.person.ask(leave, { input })
      },
    },
    {
      name: 'read slowly',
      weight: 0.3,
      async do({ person }) {
        const reader = await openSlowReader(person)
        await sleep(5000 + random() * 10_000, undefined, { signal }).catch(() => undefined)
        reader.terminate()
      },
    },
    {
      name: 'misbehave',
      weight: 6,
      async do({ person }) {
        const surprise = await doBad(person, random)
        if (surprise) throw new Error(surprise)
      },
    },
  ]
  const totalWeight = deeds.reduce((sum, { weight }) => sum + weight, 0)

  function anyDeed(): Deed {
    let left = random() * totalWeight
    for (const deed of deeds) {
      left -= deed.weight
      if (left < 0) return deed
    }
    return deeds[0] as Deed
  }

  function note(name: string, error: unknown, expected: readonly string[] = []): void {
    const code = String((error as { code?: unknown })?.code ?? error)
    count(outcomes, `${name}: ${code}`)
    if (!expected.includes(code) && !signal.aborted) count(unexpected, `${name}: ${code}`)
  }

  return {
    outcomes,
    unexpected,
    /** Since it was last asked. */
    takeLatencies: (): number[] => latenciesMs.splice(0),
    async act(): Promise<void> {
      const [deed, user] = [anyDeed(), pick(users)]
      const startedAtMs = performance.now()
      try {
        await deed.do(user)
        count(outcomes, `${deed.name}: OK`)
      } catch (error) {
        note(deed.name, error, deed.expected)
      }
      if (deed.name === 'send') latenciesMs.push(performance.now() - startedAtMs)
    },
    async leave(): Promise<void> {
      over = true
      await Promise.all(users.map((user) => close(user, true).then(() => user.person.hangUp())))
    },
  }
}
