// This is loaded into a node that runs on the embedded store. The nemesis tells it over IPC at which write from then on the process dies, and at
// which moment of that write: before it is begun, when it has just been begun, or when it has just ended. A write is a block of the journal, or a
// row that a checkpoint gives to LMDB. No handler runs, as with any other kill -9.

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { allDbs } from 'lmdb'

/** Each block of the journal begins like this. */
const magic = 'PLJ1'

let armed

process.on('message', (message) => {
  if (!message?.killAtWrite) return
  armed = message.killAtWrite
  // The first ones are of the file that was made aside.
  const database = [...allDbs.values()].at(-1)
  const prototype = Object.getPrototypeOf(database)
  for (const name of ['put', 'remove']) prototype[name] = dying(prototype[name])
  const { write } = fs
  fs.write = (fd, data, ...rest) => {
    const isBlock = data instanceof Uint8Array && Buffer.from(data).toString('latin1', 0, magic.length) === magic
    if (isBlock) writeBlock(write, fd, data, ...rest)
    else write(fd, data, ...rest)
  }
  syncBuiltinESMExports()
})

const die = () => process.kill(process.pid, 'SIGKILL')

/** Counts a write, and returns the moment of it at which the process dies, if it does. */
function countWrite() {
  armed.writes -= 1
  if (armed.writes !== 0) return undefined
  if (armed.moment === 'before') die()
  return armed.moment
}

const dying = (write) =>
  function (...given) {
    const moment = countWrite()
    const answer = write.apply(this, given)
    if (moment === 'given') die()
    if (moment === 'answered') answer.then(die, die)
    return answer
  }

function writeBlock(write, ...given) {
  const moment = countWrite()
  const done = given.pop()
  write(...given, (...outcome) => {
    done(...outcome)
    // What follows in the same turn has been seen by then.
    if (moment === 'answered') setImmediate(die)
  })
  if (moment === 'given') die()
}
