import { ChatError } from '../protocol/errors.ts'

// What an operation may load. Before it runs, its cost can only be estimated: a group may have two members or a thousand. So what lists
// turn out to hold is charged when they are there, before anything is made of it. The count lives in the context of the operation: of one
// event, where it is a subscription.

/** In the unit of the estimate: about a value of the answer. Some 100 ms of work on one core. */
const loadMax = 50_000

/** What a context counts in. */
export type Loading = { loaded?: number; overload?: Overload }

/** One for each operation, however many of its fields meet it. */
export class Overload extends ChatError {
  constructor() {
    super(
      'QUERY_TOO_COMPLEX',
      `An operation loads at most ${loadMax} values: ask for smaller pages, for fewer lists, or for less of each item.`,
    )
  }
}

/** Throws QUERY_TOO_COMPLEX once more was charged than an operation may load, and each time from then on. */
export function charge(context: Loading, cost: number): void {
  const loaded = (context.loaded ?? 0) + cost
  context.loaded = loaded
  if (loaded <= loadMax) return
  context.overload ??= new Overload()
  throw context.overload
}
