import { ChildProcess } from 'node:child_process'
import { Server } from 'node:net'

// A unit test starts no process and opens no port: that is what keeps them quick, and the same everywhere.

const refuse = (what: string) => () => {
  throw new Error(`A unit test ${what}. Let vitest.config.ts name this file under another project.`)
}

Object.defineProperty(ChildProcess.prototype, 'spawn', { value: refuse('starts a process'), writable: true })
Object.defineProperty(Server.prototype, 'listen', { value: refuse('opens a port'), writable: true })
