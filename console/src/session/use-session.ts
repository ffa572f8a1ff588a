import { useCallback, useEffect, useState } from 'react'
import { dropToken, forgetEverything, keepToken, keptToken } from './tab-storage.ts'
import { readToken, type Token } from './token.ts'

/** The longest time that a timer of a browser takes. */
const timerMaxMs = 2 ** 31 - 1

/** `ended` says why the token counts no more; what was on the page is kept for whoever signs in again. */
type State = { token?: Token | undefined; ended?: string | undefined }

export function useSession() {
  const [{ token, ended }, setState] = useState<State>(restored)
  const signIn = useCallback((fresh: Token) => {
    keepToken(fresh.text)
    setState({ token: fresh })
  }, [])
  const end = useCallback((why: string) => {
    dropToken()
    setState((state) => ({ ...state, ended: why }))
  }, [])
  const signOut = useCallback(() => {
    forgetEverything()
    setState({})
  }, [])
  useEffect(() => {
    if (token?.expiresAtMs === undefined || ended !== undefined) return
    const leftMs = token.expiresAtMs - Date.now()
    if (leftMs > timerMaxMs) return
    const timer = setTimeout(end, leftMs, 'Your token has expired.')
    return () => clearTimeout(timer)
  }, [token, ended, end])
  return { token, ended, signIn, signOut, end }
}

function restored(): State {
  const text = keptToken()
  if (text === null) return {}
  try {
    return { token: readToken(text, Date.now()) }
  } catch (error) {
    dropToken()
    return { ended: (error as Error).message }
  }
}
