import { NotForUsers } from '../auth/service-tokens.ts'
import type { Admit } from './admit.ts'
import type { ClientAddress } from './client-address.ts'
import type { Handler } from './exchange.ts'
import type { GraphQLHandler } from './graphql-http.ts'

/** Refuses users before anything else of a request is read, in the words for a path that does not exist. GraphQL says what else is wrong. */
export const createAdminHandler =
  (graphql: GraphQLHandler, admit: Admit, clientAddress: ClientAddress): Handler =>
  async (exchange) => {
    const { request } = exchange
    const admitted = admit(request.headers.authorization, clientAddress(request))
    const refused = await admitted.then(
      () => undefined,
      (error: unknown) => error,
    )
    if (refused instanceof NotForUsers) throw refused
    await graphql(exchange, admitted)
  }
