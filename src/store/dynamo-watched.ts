import { type DynamoClient, isRefused } from './dynamo-client.ts'
import type { WatchCall } from './watch-call.ts'

/** The same client; each call is told of, with the time it waited for its turn. */
export function watchDynamo(client: DynamoClient, watch: WatchCall): DynamoClient {
  const call: DynamoClient['call'] = (operation, table, ...rest) => {
    const watched = watch(operation, table)
    const answer = client.call(operation, table, ...rest)
    // On the side: whoever called waits for the answer itself. A condition that does not hold is an answer.
    answer.then(
      () => watched.ended(),
      (error) => watched.ended(isRefused(error) ? undefined : error),
    )
    return answer
  }
  return { ...client, call }
}
