/**
 * A map in the order of insertion that holds its first entry itself. An empty Map takes 180 bytes, which counts where ten thousand
 * of them hold one entry each.
 */
export class SmallMap<Key extends string, Value extends object> {
  #firstKey: Key | undefined
  #first: Value | undefined
  #others: Map<Key, Value> | undefined

  get(key: Key): Value | undefined {
    return key === this.#firstKey ? this.#first : this.#others?.get(key)
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined
  }

  set(key: Key, value: Value): void {
    if (this.#firstKey === undefined || key === this.#firstKey) {
      this.#firstKey = key
      this.#first = value
    } else {
      this.#others ??= new Map()
      this.#others.set(key, value)
    }
  }

  /** Returns whether the key was in the map. */
  delete(key: Key): boolean {
    if (key !== this.#firstKey) return this.#others?.delete(key) ?? false
    const [next] = this.#others ?? []
    this.#firstKey = next?.[0]
    this.#first = next?.[1]
    if (next) this.#others?.delete(next[0])
    return true
  }

  clear(): void {
    this.#firstKey = undefined
    this.#first = undefined
    this.#others = undefined
  }

  *[Symbol.iterator](): Iterator<[Key, Value]> {
    if (this.#firstKey === undefined || this.#first === undefined) return
    yield [this.#firstKey, this.#first]
    if (this.#others) yield* this.#others
  }
}
