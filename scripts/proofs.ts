// npm run proofs                              everything, at full length: what a nightly run calls
// npm run proofs -- --only simulation,chaos   some of it
//   --seed N            another seed for all of them; it is printed, and tries the same again
//   --seeds 100000      histories of the simulation
//   --seconds 600       of chaos, again of chaos on a cluster, and again on the embedded store
//   --runs 5000         random values for each property; for a node, batches of documents, values, frames and requests
//   --clients 2000      that come back to a node at once
//   --messages 10000    in the chat that is read from its end to its beginning
//   --events 10000      acknowledged messages, which the feed and a webhook must have, over killed nodes and an emptied Redis
//   --sends 4800        40 a second, through nginx, while two nodes are restarted in turns
// Prints a line for each proof. Exit code 0: all hold. 1: one does not. 64: no such flag or proof.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'

const usage =
  'Usage: npm run proofs -- [--only NAME,…] [--seed N] [--seeds N] [--seconds N] [--runs N] [--clients N] [--messages N] [--events N] [--sends N]\nProofs: simulation, bugs, chaos, cluster, embedded, power-loss, hostile, properties, return, long-chat, events, rolling'

const options = read()
const { seed, seeds, seconds, runs, clients, messages, events, sends } = options

type Proof = { name: string; command: readonly string[]; environment?: Record<string, string> }

const proofs: readonly Proof[] = [
  { name: 'simulation', command: ['tsx', 'scripts/simulate.ts', '--seeds', `${seeds}`, '--from', `${seed}`] },
  { name: 'bugs', command: ['vitest', 'run', 'test/simulation'] },
  { name: 'chaos', command: ['tsx', 'scripts/chaos.ts', '--seconds', `${seconds}`, '--seed', `${seed}`] },
  {
    name: 'cluster',
    command: ['tsx', 'scripts/chaos.ts', '--cluster', '--seconds', `${seconds}`, '--seed', `${seed}`],
  },
  {
    name: 'embedded',
    command: ['tsx', 'scripts/chaos.ts', '--embedded', '--seconds', `${seconds}`, '--seed', `${seed}`],
  },
  {
    name: 'power-loss',
    command: ['vitest', 'run', 'test/crash'],
    environment: { POWER_LOSS_SEED: `${seed}`, KILL_EVERY_NTH: '1' },
  },
  {
    name: 'hostile',
    command: ['vitest', 'run', 'test/hostile/random.test.ts'],
    environment: { FAST_CHECK_SEED: `${seed}`, FAST_CHECK_RUNS: `${runs}` },
  },
  {
    name: 'properties',
    command: ['vitest', 'run', '--project', 'unit', '--testTimeout', '0'],
    environment: { FAST_CHECK_SEED: `${seed}`, FAST_CHECK_RUNS: `${runs}` },
  },
  {
    name: 'return',
    command: ['vitest', 'run', 'test/process/process.test.ts', '-t', 'come back at once'],
    environment: { RETURNING_CLIENTS: `${clients}` },
  },
  {
    name: 'long-chat',
    command: ['vitest', 'run', 'test/demo/long-chat.test.ts'],
    environment: { LONG_CHAT_MESSAGES: `${messages}` },
  },
  {
    name: 'events',
    command: ['vitest', 'run', 'test/events/acknowledged.test.ts'],
    environment: { EVENT_MESSAGES: `${events}` },
  },
  {
    name: 'rolling',
    command: ['vitest', 'run', 'test/process/rolling-restart.test.ts'],
    environment: { ROLLING_SENDS: `${sends}` },
  },
]

const names = proofs.map(({ name }) => name)
if (options.only.some((name) => !names.includes(name))) misused()

const verdicts: string[] = []
for (const proof of proofs.filter(({ name }) => options.only.length === 0 || options.only.includes(name))) {
  const beganAtMs = performance.now()
  const code = await run(proof)
  const minutes = ((performance.now() - beganAtMs) / 60_000).toFixed(1)
  const verdict = code === 0 ? 'holds' : `DOES NOT HOLD (exit code ${code})`
  verdicts.push(`${proof.name.padEnd(12)} ${verdict}, ${minutes} minutes: ${shown(proof)}`)
  if (code !== 0) process.exitCode = 1
}
for (const verdict of verdicts) console.log(verdict)

/** Runs one proof by a tool of this project. Each uses all cores, so they run one after the other. */
async function run({ command: [tool = '', ...args], environment }: Proof): Promise<number | null> {
  const child = spawn(`node_modules/.bin/${tool}`, args, { stdio: 'inherit', env: { ...process.env, ...environment } })
  const [code] = await once(child, 'exit')
  return code
}

function shown({ command, environment = {} }: Proof): string {
  return [...Object.entries(environment).map(([name, value]) => `${name}=${value}`), 'npx', ...command].join(' ')
}

function read() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', default: '' },
        seed: { type: 'string', default: String(1 + Math.floor(Math.random() * 1_000_000)) },
        seeds: { type: 'string', default: '100000' },
        seconds: { type: 'string', default: '600' },
        runs: { type: 'string', default: '5000' },
        clients: { type: 'string', default: '2000' },
        messages: { type: 'string', default: '10000' },
        events: { type: 'string', default: '10000' },
        sends: { type: 'string', default: '4800' },
      },
    })
    const { only, ...lengths } = values
    for (const length of Object.values(lengths))
      if (!(Number.isInteger(Number(length)) && Number(length) > 0)) misused()
    return { ...lengths, only: only.split(',').filter(Boolean) }
  } catch (error) {
    return misused(error)
  }
}

function misused(error?: unknown): never {
  if (error) console.error(error instanceof Error ? error.message : error)
  console.error(usage)
  process.exit(64)
}
