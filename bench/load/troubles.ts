// Answers that said to try again, as a starved DynamoDB server makes ours say. What they took is in the figures: a run with many is void.

let retried = 0

/** How many since the last time. */
export function takeRetried(): number {
  const taken = retried
  retried = 0
  return taken
}

/** Whether to ask the same again. Any other error ends the run: nobody measures how fast a server fails. */
export function mustRetry(text: string): boolean {
  if (!text.includes('"errors"') && !text.includes('"type":"error"')) return false
  if (!text.includes('"retryable":true')) throw new Error(`A server answered: ${text}`)
  retried += 1
  return true
}
