import { ChatError } from '../protocol/errors.ts'

// Limits what an operation may load. Before it runs, its cost can only be estimated: a group may have two members or a thousand. So the items of
// a list are charged when the list is loaded, before anything is made of them. The count is in the context of the operation; a subscription
// has one for each event.

/** The unit is that of the estimate, about one value of the answer. This is some 100 ms of work on one core. */
const loadMax = 50_000

/** Where a context keeps the count. */
export type Loading = { loaded?: number; overload?: Overload }

/** There is one for each operation, however many of its fields throw it. */
export class Overload extends ChatError {
  constructor() {
    super(
      'QUERY_TOO_COMPLEX',
      `An operation loads at most ${loadMax} values: ask for smaller pages, for fewer lists, or for less of each item.`,
    )
  }
}

/** Throws QUERY_TOO_COMPLEX once an operation was charged more than it may load, and at every call after that. */
export function charge(context: Loading, cost: number): void {
  const loaded = (context.loaded ?? 0) + cost
  context.loaded = loaded
  if (loaded <= loadMax) return
  context.overload ??= new Overload()
  throw context.overload
}
