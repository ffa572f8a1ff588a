import { expect, it } from 'vitest'
import { report } from './report.ts'
import { repeatCommand, runChaos } from './run.ts'

it('one node on a directory, killed in the middle of its writes, breaks no promise', { timeout: 600_000 }, async ({
  signal,
}) => {
  const options = { seconds: 6, seed: 10, embedded: true }
  const result = await runChaos({ ...options, signal })
  if (result.verdict === 'invalid') console.error(report(result, repeatCommand(options)).join('\n'))
  expect(result.anomalies, `The record is kept in ${result.record}`).toEqual([])
  // On a busy machine the second kill may come while the node is still starting, and is left out.
  expect(result.history.faults.map(({ kind }) => kind)).toContain('kill a node in a write')
})
