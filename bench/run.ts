// npm run bench                     every scenario
// npm run bench -- --only push      one of them
// Starts what it measures, prints one table of ratios, writes bench/results/<scenario>.json. Figures are ratios within one run:
// two machines, or two moments of one, are not comparable.
import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { pushWhileProviderIsDown } from './push.ts'
import type { Figure, Scenario } from './scenario.ts'

const scenarios: Record<string, Scenario> = { push: pushWhileProviderIsDown }

const { values } = parseArgs({ options: { only: { type: 'string' } } })
if (values.only !== undefined && !scenarios[values.only]) {
  throw new Error(`There is no such scenario. There are: ${Object.keys(scenarios).join(', ')}`)
}

const results = new URL('results/', import.meta.url)
await mkdir(results, { recursive: true })
for (const [name, scenario] of Object.entries(scenarios)) {
  if (values.only !== undefined && values.only !== name) continue
  const figures = await scenario()
  const machine = { cores: availableParallelism(), model: cpus()[0]?.model, node: process.version }
  await writeFile(new URL(`${name}.json`, results), `${JSON.stringify({ name, machine, figures }, null, 2)}\n`)
  print(name, figures)
}

function print(name: string, figures: readonly Figure[]): void {
  console.log(`\n${name}`)
  for (const { what, value, baseline, unit, ratio } of figures) {
    const against = `${value.toFixed(2)} ${unit} against ${baseline.toFixed(2)} ${unit}`
    console.log(`  ${what.padEnd(60)} ${ratio.toFixed(2)}x   ${against}`)
  }
}
