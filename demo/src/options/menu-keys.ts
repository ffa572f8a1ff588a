/** Returns the item that a key moves to. The first items of the menu stand in a row, the others below each other. */
export function nextItem(key: string, from: number, { inRow, count }: { inRow: number; count: number }): number {
  const isInRow = from < inRow
  switch (key) {
    case 'ArrowRight':
      return isInRow ? (from + 1) % inRow : from
    case 'ArrowLeft':
      return isInRow ? (from + inRow - 1) % inRow : from
    case 'ArrowDown':
      if (isInRow) return inRow < count ? inRow : from
      return from + 1 < count ? from + 1 : 0
    case 'ArrowUp':
      if (isInRow) return count - 1
      if (from > inRow) return from - 1
      return inRow > 0 ? 0 : count - 1
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return from
  }
}
