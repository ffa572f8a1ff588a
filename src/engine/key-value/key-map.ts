import type { Key } from './key-value.ts'

type Sort = Key[1]

/** A map by keys of rows, which also returns the entries of one partition. */
export class KeyMap<Value> {
  readonly #partitions = new Map<string, Map<Sort, Value>>()

  get([partition, sort]: Key): Value | undefined {
    return this.#partitions.get(partition)?.get(sort)
  }

  set([partition, sort]: Key, value: Value): void {
    const sorts = this.#partitions.get(partition)
    if (sorts) sorts.set(sort, value)
    else this.#partitions.set(partition, new Map([[sort, value]]))
  }

  /** Deletes the entry if it still has this value. */
  delete([partition, sort]: Key, value: Value): void {
    const sorts = this.#partitions.get(partition)
    if (!sorts || sorts.get(sort) !== value) return
    sorts.delete(sort)
    if (sorts.size === 0) this.#partitions.delete(partition)
  }

  /** Returns the values of one partition, in any order. */
  of(partition: string): Iterable<Value> {
    return this.#partitions.get(partition)?.values() ?? []
  }

  *values(): Iterable<Value> {
    for (const sorts of this.#partitions.values()) yield* sorts.values()
  }
}

/** The order of the rows of a table. */
export const compareKeys = (a: Key, b: Key): number => compare(a[0], b[0]) || compare(a[1], b[1])

const compare = (a: Sort, b: Sort): number => (a < b ? -1 : a > b ? 1 : 0)
