// This is loaded into a node with --import. It gives the process a wall clock of its own, which the nemesis sets over IPC. Only Date steps,
// as when an administrator sets the clock of a machine: timers and performance.now() go by the monotonic clock.

const machine = Date
const machineNow = Date.now
let offsetMs = Number(process.env.CHAOS_CLOCK_OFFSET_MS ?? 0)

machine.now = () => machineNow() + offsetMs
globalThis.Date = new Proxy(machine, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [machine.now()] : given, made),
  apply: () => new Date().toString(),
})

process.on('message', (message) => {
  if (typeof message?.clockOffsetMs === 'number') offsetMs = message.clockOffsetMs
})
// If the parent ends in any way, this process ends too.
process.on('disconnect', () => process.exit(1))
process.channel?.unref()
