import type { Notification, PushOutcome, PushProvider } from '../ports/push.ts'
import { inTime } from '../shared/in-time.ts'
import { reasonOf, retry } from './outcomes.ts'

// Every call to a push service ends by a timer of ours, even if the service answers 101, sends headers and then nothing, sends a body
// that never ends, or never answers. The address of a browser's service comes from an untrusted client, and a node has only so many
// pushes under way at once: a call that never ended would take one of them away for good.

/** Sends one push. `signal` is aborted when its time is over: it must then destroy its connection. */
export type Attempt = (token: string, notification: Notification, signal: AbortSignal) => Promise<PushOutcome>

/** Makes a provider's `send`, which answers in time and never throws. */
export const sendInTime =
  (timeoutMs: number, attempt: Attempt): PushProvider['send'] =>
  (token, notification) =>
    inTime(timeoutMs, (signal) => attempt(token, notification, signal)).catch((error) => retry(reasonOf(error)))
