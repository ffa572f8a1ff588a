import type { Clock } from '../../ports/clock.ts'
import type { GroupTicks } from '../../protocol/group-ticks.ts'
import type { Seq, UserId } from '../../protocol/ids.ts'
import type { MemberBoundaries } from '../../protocol/ticks.ts'
import { retryWhileUnavailable } from '../retry-while-unavailable.ts'
import { authorsMax, type MessageAuthors } from './message-authors.ts'

// Finds whom the rises in a large group concern: the authors of the messages that a boundary has passed. It is found once per node and event,
// for all streams that hear it.

type Concerned = { all: readonly MemberBoundaries[]; byAuthor: ReadonlyMap<UserId, readonly MemberBoundaries[]> }
/** The messages that a boundary has passed, and their authors as soon as they are known. */
type Passed = { after: Seq; upTo: Seq; authors?: readonly UserId[] | undefined }
/** `isFar`: the rise begins so far back that it concerns everybody. `isToldAgain`: it is not known where it begins. */
type RisePast = { ticks: MemberBoundaries; passed: readonly Passed[]; isFar?: true; isToldAgain?: true }

const none: readonly MemberBoundaries[] = []

export type ConcernedBy = ReturnType<typeof createConcernedBy>

export function createConcernedBy({ authors, clock }: { authors: MessageAuthors; clock: Clock }) {
  /** An event goes to all streams of a node one after the other. Those that wait for it have it when it has been found out. */
  const found = new WeakMap<GroupTicks, Concerned | Promise<Concerned>>()

  /** Returns the rises that concern the user. Waits where authors have to be read; it never rejects. */
  function concerning(
    group: GroupTicks,
    userId: UserId,
  ): readonly MemberBoundaries[] | Promise<readonly MemberBoundaries[]> {
    const known = found.get(group) ?? find(group)
    return known instanceof Promise ? known.then((each) => of(each, userId)) : of(known, userId)
  }

  function find(group: GroupTicks): Concerned | Promise<Concerned> {
    const rises = passedIn(group)
    const missing = rises.flatMap(({ passed }) => passed).filter((each) => !authorsIn(group, each))
    const finding = missing.length > 0 ? load(group, rises, missing) : judge(group, rises)
    found.set(group, finding)
    return finding
  }

  /** Rises over the same messages share what they have passed: a crowd acknowledges the same message. */
  function passedIn({ conversationId, rises }: GroupTicks): RisePast[] {
    const latest = rises.reduce(
      (seq, { ticks }) => Math.max(seq, ticks.lastDeliveredSeq),
      authors.lastSeqOf(conversationId),
    )
    const shared = new Map<string, Passed>()
    return rises.map(({ ticks, before }) => {
      if (!before) return { ticks, isToldAgain: true, passed: [] }
      const passed = [
        { after: before.lastDeliveredSeq, upTo: ticks.lastDeliveredSeq },
        { after: before.lastReadSeq, upTo: ticks.lastReadSeq },
      ].filter(({ after, upTo }) => after < upTo)
      if (passed.some(({ after }) => after < latest - authorsMax)) return { ticks, isFar: true, passed: [] }
      return { ticks, passed: passed.map((each) => sharedIn(shared, each)) }
    })
  }

  function authorsIn({ conversationId }: GroupTicks, passed: Passed): readonly UserId[] | undefined {
    passed.authors ??= authors.between(conversationId, passed.after, passed.upTo)
    return passed.authors
  }

  async function load(group: GroupTicks, rises: readonly RisePast[], missing: readonly Passed[]): Promise<Concerned> {
    const after = Math.min(...missing.map((each) => each.after))
    const upTo = Math.max(...missing.map((each) => each.upTo))
    const read = () => authors.load(group.conversationId, after, upTo)
    // What cannot be read concerns everybody.
    await retryWhileUnavailable(clock, read).catch(() => undefined)
    const concerned = judge(group, rises)
    found.set(group, concerned)
    return concerned
  }

  function judge(group: GroupTicks, rises: readonly RisePast[]): Concerned {
    const all: MemberBoundaries[] = []
    const byAuthor = new Map<UserId, MemberBoundaries[]>()
    for (const { ticks, passed, isFar, isToldAgain } of rises) {
      const concerned = new Set<UserId>()
      let isKnown = !isFar
      if (isToldAgain)
        for (const each of authors.knownUpTo(group.conversationId, ticks.lastDeliveredSeq)) concerned.add(each)
      for (const each of passed) {
        const by = authorsIn(group, each)
        if (by) for (const author of by) concerned.add(author)
        else isKnown = false
      }
      if (isKnown) for (const author of concerned) addTo(byAuthor, author, ticks)
      else all.push(ticks)
    }
    return { all, byAuthor }
  }

  return concerning
}

const of = ({ all, byAuthor }: Concerned, userId: UserId): readonly MemberBoundaries[] => {
  const own = byAuthor.get(userId) ?? none
  return all.length === 0 ? own : [...all, ...own]
}

function addTo(byAuthor: Map<UserId, MemberBoundaries[]>, author: UserId, ticks: MemberBoundaries): void {
  const told = byAuthor.get(author)
  if (told) told.push(ticks)
  else byAuthor.set(author, [ticks])
}

function sharedIn(shared: Map<string, Passed>, passed: Passed): Passed {
  const key = `${passed.after} ${passed.upTo}`
  const known = shared.get(key) ?? passed
  shared.set(key, known)
  return known
}
