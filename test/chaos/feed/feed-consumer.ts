import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../simulation/random.ts'
import type { FeedSeen } from '../checks/history.ts'

// A backend that reads the feed page by page, at a random node each time. It goes on after the last page it was answered; now and then it has lost
// that, and begins at an earlier one.

const query = `query ($after: String) {
  events(after: $after, first: 200) { events { id type conversationId seq data } position }
}`
/** Between two pages: this backend polls, and test/events has one that follows the stream. */
const pauseMs = 250
const answerWithinMs = 10_000

type Page = { events: (Omit<FeedSeen, 'messageId'> & { data: { messageId?: string } })[]; position: string }

async function pageAfter(node: string, token: string, after: string | undefined): Promise<Page> {
  const response = await fetch(`${node}/admin/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables: { after } }),
    signal: AbortSignal.timeout(answerWithinMs),
  })
  const { data } = (await response.json()) as { data?: { events: Page } }
  if (!data) throw new Error(`There is no page: ${response.status}`)
  return data.events
}

const asSeen = ({ events }: Page): FeedSeen[] =>
  events.map(({ id, type, conversationId, seq, data }) => ({
    ...{ id, type, conversationId, seq },
    ...(data.messageId !== undefined && { messageId: data.messageId }),
  }))

type Options = { nodes: readonly string[]; token: string; seen: FeedSeen[]; random: Random; signal: AbortSignal }

/** Reads until it is told to stop. */
export async function followFeed({ nodes, token, seen, random, signal }: Options): Promise<void> {
  const kept: (string | undefined)[] = [undefined]
  while (!signal.aborted) {
    try {
      if (random.chance(0.03)) kept.splice(Math.max(1, kept.length - random.between(1, 5)))
      const page = await pageAfter(random.pick(nodes), token, kept.at(-1))
      seen.push(...asSeen(page))
      kept.push(page.position)
    } catch {
      // The node is gone, or has lost a store. The next one is asked.
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Reads the whole feed from its beginning, until it has everything that is looked for, or the time is over. */
export async function readFeed(
  node: string,
  token: string,
  hasAll: (seen: readonly FeedSeen[]) => boolean,
  withinMs: number,
): Promise<FeedSeen[]> {
  const seen: FeedSeen[] = []
  const giveUpAtMs = performance.now() + withinMs
  for (let after: string | undefined; performance.now() < giveUpAtMs; ) {
    const page = await pageAfter(node, token, after).catch(() => undefined)
    if (page) {
      seen.push(...asSeen(page))
      after = page.position
    }
    if (page?.events.length) continue
    if (hasAll(seen)) break
    await sleep(pauseMs)
  }
  return seen
}
