import { expect, it } from 'vitest'
import { report } from './report.ts'
import { repeatCommand, runChaos } from './run.ts'

it('ten seconds of chaos on a Redis Cluster break no promise', { timeout: 600_000 }, async ({ signal }) => {
  const options = { seconds: 10, seed: 3, cluster: true }
  const result = await runChaos({ ...options, signal })
  if (result.verdict === 'invalid') console.error(report(result, repeatCommand(options)).join('\n'))
  expect(result.anomalies, `The record is kept in ${result.record}`).toEqual([])
})
