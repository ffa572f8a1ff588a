import { badInput } from '../protocol/errors.ts'
import { isUserId } from '../protocol/ids.ts'
import type { DevTokens } from './auth.ts'
import { type Handler, readJsonObject, sendJson } from './exchange.ts'

/** POST /dev/token: a token for anybody. Development mode only. */
export function createDevTokenHandler(devTokens: DevTokens): Handler {
  return async ({ request, response }) => {
    const { userId, name } = await readJsonObject(request)
    if (!isUserId(userId)) {
      throw badInput(
        'userId',
        'A user id is 1 to 128 of A-Z a-z 0-9 . _ @ | : - and does not start with dm_, grp_ or msg_.',
      )
    }
    if (name !== undefined && typeof name !== 'string') throw badInput('name', 'A name is a string.')
    sendJson(response, 200, { token: await devTokens.issue(userId, name) })
  }
}
