// What a schema says, in the extensions of its fields and types, about who may be given the same bytes. Nothing else decides that: a field
// that says nothing is written for each viewer.

import type { GraphQLField, GraphQLObjectType } from 'graphql'

/** `true`: the same for every viewer. A function: the same for every viewer of the sources for which it returns true. */
export type SameForAll = true | ((source: never) => boolean)

/**
 * What two events have in common where their answers may be the same: `of` is the same object, `as` is equal. Not for `except`, to whom
 * fields may show more.
 */
export type Share = { of: object; as: number; except: string }
/** Undefined where nobody else gets this very event. */
export type ShareOf = (event: never) => Share | undefined

export type FieldSharing = {
  readonly sameForAll?: SameForAll
  /** Shows more to the author of what it belongs to. */
  readonly exceptAuthor?: true
  /** Of a field of Subscription: which of its events are the same for several. */
  readonly shareOf?: ShareOf
}

export type TypeSharing = {
  /** Several may be given the same object of this type, by a read they share. What is the same for all of it is written once. */
  readonly writtenOnce?: true
}

const field = <Sharing extends FieldSharing>(extensions: Sharing) => ({ extensions })
const type = <Sharing extends TypeSharing>(extensions: Sharing) => ({ extensions })

/** The same for every viewer: what is written for one may be sent to others as it is. */
export const sameForAll = field({ sameForAll: true })
/** The same for every viewer but the author of what it belongs to. */
export const sameForOthers = field({ sameForAll: true, exceptAuthor: true })
/** The same where this holds of the source. */
export const sameForAllWhere = <Source>(holds: (source: Source) => boolean) => field({ sameForAll: holds })
export const sharedEvents = <Event>(shareOf: (event: Event) => Share | undefined) => field({ shareOf })
export const writtenOnce = type({ writtenOnce: true })

export const sharingOf = ({ extensions }: Pick<GraphQLField<unknown, unknown>, 'extensions'>): FieldSharing =>
  extensions
export const isWrittenOnce = ({ extensions }: Pick<GraphQLObjectType, 'extensions'>): boolean =>
  (extensions as TypeSharing).writtenOnce === true
