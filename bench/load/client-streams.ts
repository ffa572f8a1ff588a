import {
  ConversationUpdatedDocument,
  MessageAddedDocument,
  MessageChangedDocument,
  TicksChangedDocument,
} from '../../packages/client/src/generated/graphql.ts'
import type { Person, Said } from './person.ts'
import { mustRetry } from './troubles.ts'

type Streams = Record<string, readonly [query: { toString(): string }, variables: object]>

/**
 * A device that has missed nothing hears nothing when its stream begins. So it says that it lacks the last message of its first chat; resolves when that is
 * there.
 */
function follow(person: Person, streams: Streams): Promise<void> {
  return new Promise((resolve) => {
    const begin = (id: string) => {
      const [query = '', variables = {}] = streams[id] ?? []
      person.follow(id, query, variables)
    }
    person.onEvent = (id, payload) => {
      if (mustRetry(String(payload))) begin(id)
      else if (id === 'added') resolve()
    }
    for (const id of Object.keys(streams)) begin(id)
  })
}

const oneMissing = ([first, ...rest]: readonly Said[]): Said[] =>
  first ? [{ ...first, seq: first.seq - 1 }, ...rest] : []

export const followMessages = (person: Person, after: readonly Said[]): Promise<void> =>
  follow(person, { added: [MessageAddedDocument, { after: oneMissing(after) }] })

/** The streams that the client has all the time. */
export const followAsClient = (person: Person, after: readonly Said[]): Promise<void> =>
  follow(person, {
    added: [MessageAddedDocument, { after: oneMissing(after) }],
    changed: [MessageChangedDocument, { after }],
    updated: [ConversationUpdatedDocument, {}],
    ticks: [TicksChangedDocument, {}],
  })
