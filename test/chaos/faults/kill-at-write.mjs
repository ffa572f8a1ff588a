// This is loaded into a node that runs on the embedded store. The nemesis tells it over IPC at which write from then on the process dies, and at which moment of that
// write: before LMDB is given it, when it has just been given it, or when it has just answered. No handler runs, as with any other kill -9.

import { allDbs } from 'lmdb'

let armed

process.on('message', (message) => {
  if (!message?.killAtWrite) return
  armed = message.killAtWrite
  // The first ones are of the file that was made aside.
  const database = [...allDbs.values()].at(-1)
  const prototype = Object.getPrototypeOf(database)
  for (const name of ['put', 'remove']) prototype[name] = dying(prototype[name])
})

const die = () => process.kill(process.pid, 'SIGKILL')

const dying = (write) =>
  function (...given) {
    armed.writes -= 1
    const isLast = armed.writes === 0
    if (isLast && armed.moment === 'before') die()
    const answer = write.apply(this, given)
    if (isLast && armed.moment === 'given') die()
    if (isLast && armed.moment === 'answered') answer.then(die, die)
    return answer
  }
