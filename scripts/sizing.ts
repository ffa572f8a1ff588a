// npm run sizing -- --users 1000000 --messages-per-day 100000000
//
// Prints what a fleet for this load consists of and costs. Every guess about people and every price is an option: --help lists them with their defaults.
// What the code costs is read from bench/results; the second table says from which run, and what is assumed.
// npm run sizing -- --simulate [--seed 1]   what becomes of lines when a node or a zone is lost, and so on, with the nodes of the largest plan of docs/scaling.md
// npm run sizing -- --write                 puts the tables into docs/scaling.md
import { readFileSync, writeFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { readConstants, valuesOf } from './sizing/constants.ts'
import { filled, tablesOfPage } from './sizing/page.ts'
import { defaultLoad, makePlan } from './sizing/plan.ts'
import { defaultPrices, pricesOf } from './sizing/prices.ts'
import { constantsTable, planTable } from './sizing/print.ts'
import { outcomesTable, simulateAll } from './sizing/reference.ts'

const loadOptions = Object.fromEntries(Object.keys(defaultLoad).map((name) => [flagOf(name), name]))
const priceOptions = Object.fromEntries(Object.keys(defaultPrices).map((name) => [`price-${flagOf(name)}`, name]))
const options: NonNullable<ParseArgsConfig['options']> = {
  help: { type: 'boolean' },
  simulate: { type: 'boolean' },
  write: { type: 'boolean' },
  seed: { type: 'string' },
}
for (const flag of [...Object.keys(loadOptions), ...Object.keys(priceOptions)]) options[flag] = { type: 'string' }
const values = parseArgs({ options }).values as Record<string, string | undefined>

if (values.help) {
  for (const [flag, name] of Object.entries(loadOptions)) console.log(`--${flag} ${valueIn(defaultLoad, name)}`)
  for (const [flag, name] of Object.entries(priceOptions)) console.log(`--${flag} ${valueIn(defaultPrices, name)}`)
} else if (values.write) {
  const page = new URL('../docs/scaling.md', import.meta.url)
  writeFileSync(page, filled(readFileSync(page, 'utf8'), tablesOfPage()))
} else if (values.simulate) {
  console.log(outcomesTable(simulateAll(valuesOf(readConstants()), Number(values.seed ?? 1))))
} else {
  const constants = readConstants()
  const plan = makePlan(given(defaultLoad, loadOptions), valuesOf(constants), given(defaultPrices, priceOptions))
  console.log(planTable([plan]))
  console.log(
    `\nPrices: list prices of AWS in us-east-1, on demand, of ${pricesOf}. Balancers, push, files, logs and support are not in here.\n`,
  )
  console.log(constantsTable(constants))
}

function given<Values extends Record<string, number>>(defaults: Values, flags: Record<string, string>): Values {
  const said = Object.entries(flags).flatMap(([flag, name]) => {
    const text = values[flag]
    return text === undefined ? [] : [[name, numberOf(flag, text)] as const]
  })
  return { ...defaults, ...Object.fromEntries(said) }
}

/** `on` and `off` stand for 1 and 0. */
function numberOf(flag: string, text: string): number {
  const value = text === 'on' ? 1 : text === 'off' ? 0 : Number(text.replaceAll(/[_,]/g, ''))
  if (!Number.isFinite(value) || value < 0 || text.trim() === '') throw new Error(`--${flag} must be a number.`)
  return value
}

function valueIn(all: Record<string, number>, name: string): number | undefined {
  return all[name]
}

function flagOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
