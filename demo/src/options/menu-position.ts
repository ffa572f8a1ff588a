type Box = { left: number; top: number; right: number; bottom: number }
type Size = { width: number; height: number }

const gapPx = 4
const edgePx = 8

/** Puts the menu below its button, or above it if there is no room, and always inside the window. */
export function menuPosition(
  anchor: Box,
  menu: Size,
  window: Size,
  grows: 'left' | 'right',
): { left: number; top: number } {
  const left = grows === 'left' ? anchor.right - menu.width : anchor.left
  const below = anchor.bottom + gapPx
  const fits = below + menu.height + edgePx <= window.height
  const top = fits ? below : anchor.top - gapPx - menu.height
  return { left: within(left, window.width - menu.width), top: within(top, window.height - menu.height) }
}

const within = (value: number, most: number): number => Math.max(edgePx, Math.min(value, most - edgePx))
