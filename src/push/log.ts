import type { PushProvider } from '../ports/push.ts'
import { accepted } from './outcomes.ts'
import { payloadOf } from './payload.ts'

/** For a desk: prints what a device would be told. A token is any name. */
export const createLogPush = (print: (line: string) => void): PushProvider => ({
  async send(token, notification) {
    print(`push to ${token}: ${JSON.stringify(payloadOf(notification))}`)
    return accepted
  },
  tokenProblem: () => undefined,
  laneOf: () => '',
  close: () => undefined,
})
