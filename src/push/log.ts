import type { PushProvider } from '../ports/push.ts'
import { accepted } from './outcomes.ts'
import { payloadOf } from './payload.ts'

/** Prints what a device would be told, for development. A token is any name. */
export const createLogPush = (print: (line: string) => void): PushProvider => ({
  async send(token, notification) {
    print(`push to ${token}: ${JSON.stringify(payloadOf(notification))}`)
    return accepted
  },
  tokenProblem: () => undefined,
  laneOf: () => '',
  close: () => undefined,
})
