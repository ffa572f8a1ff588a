import { useCallback, useState } from 'react'
import { problemWords } from './problem-words.ts'

/** Runs one action at a time. `problem` is the server's reason if it refuses the action. */
export function useAction() {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const run = useCallback((action: () => Promise<unknown>) => {
    setBusy(true)
    setProblem(undefined)
    action()
      .catch((error: unknown) => setProblem(problemWords(error)))
      .finally(() => setBusy(false))
  }, [])
  return { busy, problem, run }
}
