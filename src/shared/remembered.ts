export type Remembered<Key extends object, Value> = {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
}

/**
 * Remembers a value for as long as its object exists, as a WeakMap does, but on the object itself, which must not be frozen. Where most objects are
 * used once, the garbage collection of WeakMaps costs more than what is saved: with three of them, a page took about 1.2x the CPU.
 */
export function rememberedOn<Key extends object, Value>(what: string): Remembered<Key, Value> {
  const name = Symbol(what)
  type Holder = { [name]?: Value }
  return {
    get: (key) => (key as Holder)[name],
    set(key, value) {
      // Not enumerable: a copy of the object is another one.
      Object.defineProperty(key, name, { value, writable: true })
    },
  }
}
