import { ChatError } from '../../protocol/errors.ts'

/** What the schema declares and this release cannot do yet. Nothing was changed, and to try again does not help. */
export const notBuilt = (what: string): ChatError =>
  new ChatError('NOT_FOUND', `This server cannot do this yet: ${what}. Nothing was changed.`)
