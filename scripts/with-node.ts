// Runs a command on other versions of Node, one after the other: `npm run with-node -- 22 24 -- npx vitest run --project unit`.
// Exit code 0: it succeeded on all. 1: it did not on one. 2: one cannot be had here. 64: no such version, or no command.
import { spawnSync } from 'node:child_process'
import { delimiter } from 'node:path'
import { nodeOf, nodeVersions } from './node-binaries.ts'

// npm may have taken the first `--` for itself.
const words = process.argv.slice(2)
const begin = words.findIndex((word) => !Object.hasOwn(nodeVersions, word))
const majors = begin < 0 ? words : words.slice(0, begin)
const [command, ...args] = begin < 0 ? [] : words.slice(words[begin] === '--' ? begin + 1 : begin)
if (majors.length === 0 || command === undefined) {
  console.error(`Usage: npm run with-node -- VERSION… -- COMMAND…\nVersions: ${Object.keys(nodeVersions).join(', ')}`)
  process.exit(64)
}

for (const major of majors) {
  const version = nodeVersions[major] ?? ''
  const found = await nodeOf(version)
  if ('missing' in found) {
    console.error(`Node ${version} cannot be had: ${found.missing}`)
    process.exitCode = 2
    continue
  }
  console.log(`On Node ${version}: ${[command, ...args].join(' ')}`)
  const env = { ...process.env, PATH: `${found.folder}${delimiter}${process.env.PATH}` }
  const { status } = spawnSync(command, args, { stdio: 'inherit', env })
  if (status !== 0) process.exitCode = 1
}
