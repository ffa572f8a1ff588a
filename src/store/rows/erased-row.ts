import type { Erased, GroupChange } from '../../ports/log.ts'
import type { ClientMessageId, UserId } from '../../protocol/ids.ts'
import { toTimeText } from '../../protocol/time-text.ts'
import { entryName } from './reaction-columns.ts'
import type { Item } from './tables.ts'

// What becomes of a cell when a user is erased. It keeps its place, its kind and its time, so that the order and everybody's numbers stay.
//
// An entry of theirs gets the pseudonym as its sender, and loses its text, its files, its metadata and the id that their device made. A message counts as
// deleted. A reaction becomes an edit that has lost its text, which no reader applies: what it was about shows it no more.
// Of a message of somebody else, their reactions go. In a change of a group their id becomes the pseudonym.

type Row = Item<'messages'>
type Columns = Partial<Row>

/** Returns the columns to set, undefined for those to remove; or undefined where none is of the user. */
export function erasedColumns(item: Row, erased: Erased): Columns | undefined {
  const own = item.sender_id === erased.userId ? ownColumns(item, erased) : undefined
  const within = item.kind === 'group' ? groupColumns(item, erased) : undefined
  return own || within ? { ...within, ...own } : undefined
}

/** Returns the names that the user's reactions have in the maps of the row. */
export function entriesOf(item: Row, userId: UserId): { column: 'reacted' | 'reactions'; name: string }[] {
  const { reacted = {}, reactions = {} } = item
  const own = [entryName(userId), userId].filter((name) => Object.hasOwn(reacted, name))
  const earlier = Object.keys(reactions).filter((name) => name.endsWith(` ${userId}`))
  return [
    ...[...new Set(own)].map((name) => ({ column: 'reacted' as const, name })),
    ...earlier.map((name) => ({ column: 'reactions' as const, name })),
  ]
}

function ownColumns({ kind, seq, deleted_at, alteration }: Row, { pseudonym, atMs }: Erased): Columns {
  const sender = { sender_id: pseudonym, client_message_id: erasedClientId(seq) }
  if (kind === 'group') return sender
  const wordless = { ...sender, body: undefined, replaced: undefined }
  if (kind === 'change') {
    if (alteration !== 'reaction') return wordless
    return { ...wordless, alteration: 'edit', emoji: undefined, reaction_on: undefined }
  }
  return {
    ...wordless,
    metadata: undefined,
    s3_ref: undefined,
    reacted: undefined,
    reactions: undefined,
    edited_at: undefined,
    edited_seq: undefined,
    edits: undefined,
    deleted_at: deleted_at ?? toTimeText(atMs),
  }
}

/** No device makes such an id for this seq again, as its sender is the pseudonym. */
const erasedClientId = (seq: number): ClientMessageId => `erased.${seq}` as ClientMessageId

function groupColumns({ group_change = '{}' }: Row, { userId, pseudonym }: Erased): Columns | undefined {
  const change = JSON.parse(group_change) as Pick<GroupChange, 'added' | 'removed' | 'roles'>
  const renamed = (id: UserId): UserId => (id === userId ? pseudonym : id)
  const after = {
    ...change,
    added: change.added.map(renamed),
    removed: change.removed.map(renamed),
    roles: change.roles.map((each) => ({ ...each, userId: renamed(each.userId) })),
  }
  const text = JSON.stringify(after)
  return text === group_change ? undefined : { group_change: text }
}
