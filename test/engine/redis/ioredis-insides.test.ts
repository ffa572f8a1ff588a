import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Cluster, Redis } from 'ioredis'
import { expect, test } from 'vitest'

// What src/engine/redis reads of the insides of ioredis 5.11.1, and what ioredis reads of the lean commands. When a test here fails after
// an update: read the diff of the files named below, change src/engine/redis/command.ts and send-together.ts to match, run
// test/engine/redis (differential.test.ts compares the two ways), and write the new version and lists here. Until that is done,
// REDIS_COMMANDS=plain serves without any of it.

const main = createRequire(import.meta.url).resolve('ioredis')
const built = dirname(main)
const sourceOf = (path: string) => readFileSync(join(built, path), 'utf8')

test('ioredis is the version whose insides were read', () => {
  const { version } = JSON.parse(readFileSync(join(built, '../package.json'), 'utf8'))
  expect(version, 'ioredis was updated: see the top of this file').toBe('5.11.1')
})

test('ioredis looks at nothing in a command that a lean command does not have', () => {
  const files = ['Redis.js', 'DataHandler.js', 'redis/event_handler.js', 'cluster/index.js']
  const read = files.flatMap((file) => [...sourceOf(file).matchAll(/\bcommand\.([a-zA-Z_]+)/g)].map(([, name]) => name))
  expect([...new Set(read)].sort(), 'ioredis reads something else of a command: see the top of this file').toEqual([
    'args',
    // Of commands that block, which are never sent this way.
    'extractBlockingTimeout',
    'getKeys',
    'getSlot',
    'inTransaction',
    // Undefined in a lean command: in a cluster it goes to the master.
    'isReadOnly',
    'isTraced',
    'name',
    // Undefined in a lean command: it is in no pipeline.
    'pipelineIndex',
    'promise',
    'reject',
    'resolve',
    // Of commands that block.
    'setBlockingTimeout',
    'setTimeout',
    'toWritable',
  ])
})

test('sendCommand writes to the stream it is given, and asks the command for what to write', () => {
  expect(sourceOf('Redis.js')).toContain('stream.write(command.toWritable(stream));')
  expect(sourceOf('Redis.js')).toContain('"isPipeline" in stream && stream.isPipeline')
})

test('a connection has its socket in `stream`, and sends everything by `sendCommand`', () => {
  expect(sourceOf('Redis.js')).toContain('this.stream.write(command.toWritable(this.stream));')
  expect(typeof Redis.prototype.sendCommand).toBe('function')
  expect(typeof Cluster.prototype.sendCommand).toBe('function')
})

test('a connection that was lost is opened by the options that it holds, which the subscriber changes', () => {
  expect(sourceOf('Redis.js')).toContain('const { options } = this;')
})
