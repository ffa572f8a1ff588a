import { badInput, ChatError } from '../protocol/errors.ts'
import { isUserId } from '../protocol/ids.ts'
import type { DevTokens } from '../transport/auth/auth.ts'
import { type Handler, readJsonObject, sendJson } from '../transport/http/exchange.ts'
import type { IsFamiliarHost } from '../transport/http/familiar-host.ts'

/** Answers POST /dev/token with a token for the user that the request names. Only development mode has this route. */
export function createDevTokenHandler(devTokens: DevTokens, isFamiliarHost: IsFamiliarHost): Handler {
  return async ({ request, response }) => {
    if (!isFamiliarHost(request)) {
      throw new ChatError(
        'FORBIDDEN',
        'Under a name of the internet, tokens are for the origins of ALLOWED_ORIGINS only.',
      )
    }
    const { userId, name, scope } = await readJsonObject(request)
    if (!isUserId(userId)) {
      throw badInput(
        'userId',
        'A user id is 1 to 128 of A-Z a-z 0-9 . _ @ | : - and does not start with dm_, grp_ or msg_.',
      )
    }
    if (name !== undefined && typeof name !== 'string') throw badInput('name', 'A name is a string.')
    if (scope !== undefined && typeof scope !== 'string') throw badInput('scope', 'A scope is a string.')
    const claims = { ...(name !== undefined && { name }), ...(scope !== undefined && { scope }) }
    sendJson(response, 200, { token: await devTokens.issue(userId, claims) })
  }
}
