// This is loaded into a node with --import. Over IPC it tells its parent what only the inside knows: how long the event loop was held up by
// its own work, and what is in memory when the garbage is gone.

import { readFileSync } from 'node:fs'
import { writeHeapSnapshot } from 'node:v8'

const beatMs = 5
let worst = { cpuMs: 0, wallMs: 0 }
let last = { atMs: performance.now(), cpuMs: threadCpuMs() }

setInterval(() => {
  const now = { atMs: performance.now(), cpuMs: threadCpuMs() }
  const held = { cpuMs: now.cpuMs - last.cpuMs, wallMs: now.atMs - last.atMs }
  if (held.cpuMs > worst.cpuMs) worst = held
  last = now
}, beatMs).unref()

/** Measures the main thread alone, and only while it ran: another process that takes the core away is not a stall of this one. */
function threadCpuMs() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
}

function countResources() {
  const counts = {}
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

const answers = {
  /** Returns the longest that the loop worked between two beats since the last question. */
  stall() {
    const answer = worst
    worst = { cpuMs: 0, wallMs: 0 }
    last = { atMs: performance.now(), cpuMs: threadCpuMs() }
    return answer
  },
  memory() {
    globalThis.gc?.()
    globalThis.gc?.()
    const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage()
    answers.stall()
    return { rss, heapUsed, external, arrayBuffers, resources: countResources(), cpuMs: threadCpuMs() }
  },
  snapshot: (path) => writeHeapSnapshot(path),
}

process.on('message', ({ id, ask, argument }) => process.send?.({ id, answer: answers[ask]?.(argument) }))
// If the parent ends in any way, this process ends too.
process.on('disconnect', () => process.exit(1))
process.channel?.unref()
