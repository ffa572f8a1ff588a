// Loaded into every process that is measured, before its own script: tells what it uses, collects garbage and writes profiles when
// asked. It ends with the process that started it.

import { writeFile } from 'node:fs/promises'
import { type Profiler, Session } from 'node:inspector/promises'
import { getHeapSpaceStatistics } from 'node:v8'

export type Question = { ask: 'usage' | 'settled' | 'profile' } | { ask: 'profiled'; file: string }
/** `nurseryBytes` is where V8 makes new objects. It is as large as what was made lately, not as what is there. */
export type Answer = {
  answer: Question['ask']
  cpuMs: number
  rssBytes: number
  heapBytes: number
  nurseryBytes: number
}

const profiler = new Session()
const isNursery = (space: { space_name: string }): boolean => space.space_name === 'new_space'

async function answer(question: Question): Promise<void> {
  if (question.ask === 'settled') for (let i = 0; i < 3; i += 1) globalThis.gc?.()
  if (question.ask === 'profile') {
    profiler.connect()
    await profiler.post('Profiler.enable')
    await profiler.post('Profiler.start')
  }
  if (question.ask === 'profiled') {
    const { profile } = (await profiler.post('Profiler.stop')) as { profile: Profiler.Profile }
    await writeFile(question.file, JSON.stringify(profile))
    profiler.disconnect()
  }
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed, external } = process.memoryUsage()
  const told: Answer = {
    answer: question.ask,
    cpuMs: (user + system) / 1000,
    rssBytes: rss,
    heapBytes: heapUsed + external,
    nurseryBytes: getHeapSpaceStatistics().find(isNursery)?.physical_space_size ?? 0,
  }
  process.send?.(told)
}

process.on('message', (question: Question) => {
  if ('ask' in question) void answer(question)
})
process.on('disconnect', () => process.exit())
process.channel?.unref()
