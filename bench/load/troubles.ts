// What goes wrong on a machine that is too busy: answers that say to try again, as a starved DynamoDB server makes ours say, and sockets
// closed because a ping was not answered in time. What they took is in the figures: a run with many is void.

const counted = { retried: 0, lost: 0 }

/** What went wrong since the last time, in words. */
export function takeTroubles(): string[] {
  const { retried, lost } = counted
  Object.assign(counted, { retried: 0, lost: 0 })
  return [
    ...(retried > 0 ? [`${retried} answers said to try again`] : []),
    ...(lost > 0 ? [`${lost} sockets were closed by the server and opened again`] : []),
  ]
}

export function countLost(): void {
  counted.lost += 1
}

/** Whether to ask the same again. Any other error ends the run: how fast a server fails is not measured. */
export function mustRetry(text: string): boolean {
  if (!text.includes('"errors"') && !text.includes('"type":"error"')) return false
  if (!text.includes('"retryable":true')) throw new Error(`A server answered: ${text}`)
  counted.retried += 1
  return true
}
