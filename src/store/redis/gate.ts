export type Gate = { open: () => void; opened: Promise<void> }

/** Makes a promise that others wait for, and the function that resolves it. */
export function gate(): Gate {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}
