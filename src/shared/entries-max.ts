/**
 * Bounds an LRUCache by the number of its entries. The cache takes memory as it fills, while one that is given `max` takes the room of all its
 * entries when it is made.
 */
export const entriesMax = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 })

/** Bounds it by a size too: an entry counts at least as much as one of `count` entries may take. */
export const entriesAndSizeMax = <Value>(count: number, maxSize: number, sizeOf: (value: Value) => number) => {
  const least = Math.ceil(maxSize / count)
  return { maxSize: least * count, sizeCalculation: (value: Value) => Math.max(least, sizeOf(value)) }
}
