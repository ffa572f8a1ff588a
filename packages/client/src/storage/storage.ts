/**
 * Keeps what must survive a reload: unsent messages, and the positions of this device. Keys are strings, values are JSON. Write your own
 * for other environments (React Native, a worker): it needs `load` and `write` alone.
 */
export type Storage = {
  /** Returns everything that is stored. It is called once, at the start. */
  load(): Promise<[key: string, value: unknown][]>
  /** Writes all of the changes or none; `undefined` deletes a key. Calls do not overlap. */
  write(changes: ReadonlyMap<string, unknown>): Promise<void>
  close?(): Promise<void>
}
