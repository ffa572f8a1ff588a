import { expect, it } from 'vitest'
import { report } from './report.ts'
import { runChaos } from './run.ts'

it('a quarter of a minute of chaos breaks no promise', { timeout: 240_000 }, async () => {
  const result = await runChaos({ seconds: 15, seed: 3 })
  if (result.verdict === 'invalid') console.error(report(result, 'npm run chaos -- --seconds 15 --seed 3').join('\n'))
  expect(result.anomalies).toEqual([])
})
