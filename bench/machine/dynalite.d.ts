declare module 'dynalite' {
  import type { Server } from 'node:http'

  /** Keeps its tables under `path`. Closing the server closes them. */
  export default function dynalite(options: {
    path: string
    createTableMs: number
    deleteTableMs: number
    updateTableMs: number
  }): Server
}
