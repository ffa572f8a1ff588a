import { useCallback, useState } from 'react'
import { problemWords } from '../parts/problem-words.ts'

/** One thing at a time that the server may refuse, in its words. */
export function useDeed() {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const run = useCallback((deed: () => Promise<unknown>) => {
    setBusy(true)
    setProblem(undefined)
    deed()
      .catch((error: unknown) => setProblem(problemWords(error)))
      .finally(() => setBusy(false))
  }, [])
  return { busy, problem, run }
}
