/**
 * What outlives a reload: unsent messages, and how far this device has got. Keys are strings, values are what JSON can hold.
 * Bring your own for other places (React Native, a worker): these two functions are all of it.
 */
export type Storage = {
  /** Everything that is kept. Asked once, at the start. */
  load(): Promise<[key: string, value: unknown][]>
  /** All of these or none; `undefined` deletes. Calls do not overlap. */
  write(changes: ReadonlyMap<string, unknown>): Promise<void>
  close?(): Promise<void>
}
