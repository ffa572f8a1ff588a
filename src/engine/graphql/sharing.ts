// The extensions of a schema's fields and types say which viewers may be sent the same bytes. Nothing else decides that: a field without
// such an extension is written for each viewer.

import type { GraphQLField, GraphQLObjectType } from 'graphql'

/** `true` means: the same for every viewer. A function means: the same for every viewer of the sources for which it returns true. */
export type SameForAll = true | ((source: never) => boolean)

/**
 * Two events may get the same answer if `source` is the same object and `variant` is equal. That does not hold for the viewer `exceptViewerId`, to
 * whom fields may show more.
 */
export type SharedAnswerKey = { source: object; variant: number; exceptViewerId: string }
/** Returns undefined if no other viewer gets this very event. */
export type SharedAnswerKeyOf = (event: never) => SharedAnswerKey | undefined

export type FieldSharing = {
  readonly sameForAll?: SameForAll
  /** The field shows more to the author of the object. */
  readonly exceptAuthor?: true
  /** A field of Subscription has this. It tells which of the events are the same for several viewers. */
  readonly sharedAnswerKeyOf?: SharedAnswerKeyOf
}

export type TypeSharing = {
  /** Several requests may get the same object of this type from a read they share. Its fields that are the same for all are written once. */
  readonly writtenOnce?: true
}

const field = <Sharing extends FieldSharing>(extensions: Sharing) => ({ extensions })
const type = <Sharing extends TypeSharing>(extensions: Sharing) => ({ extensions })

/** The field is the same for every viewer: what is written for one may be sent to others unchanged. */
export const sameForAll = field({ sameForAll: true })
/** The field is the same for every viewer but the author of the object. */
export const sameForOthers = field({ sameForAll: true, exceptAuthor: true })
/** The field is the same for every viewer if this holds for the source. */
export const sameForAllWhere = <Source>(holds: (source: Source) => boolean) => field({ sameForAll: holds })
export const sharedEvents = <Event>(sharedAnswerKeyOf: (event: Event) => SharedAnswerKey | undefined) =>
  field({ sharedAnswerKeyOf })
export const writtenOnce = type({ writtenOnce: true })

export const sharingOf = ({ extensions }: Pick<GraphQLField<unknown, unknown>, 'extensions'>): FieldSharing =>
  extensions
export const isWrittenOnce = ({ extensions }: Pick<GraphQLObjectType, 'extensions'>): boolean =>
  (extensions as TypeSharing).writtenOnce === true
