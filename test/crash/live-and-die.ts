// A process of its own that lives the day on a directory. The test tells it at which write it dies: see test/chaos/faults/kill-at-write.mjs.

import { writeSync } from 'node:fs'
import { openKeyValueLmdb } from '../../src/engine/key-value/key-value.lmdb.ts'
import { createNode, liveTheDay } from './day.ts'

const [directory = ''] = process.argv.slice(2)
const engine = await openKeyValueLmdb({ directory })
const { domain } = createNode(engine)
// A database has to be open before the writes can be counted.
engine.table('messages')

process.once('message', async () => {
  // It is written before the next step begins, so that what was answered is known whenever the process dies.
  await liveTheDay(domain, (told) => writeSync(1, `${JSON.stringify(told)}\n`))
  await engine.close()
  process.exit(0)
})
process.send?.('ready')
