import { useEffect, useState } from 'react'
import { useConnection } from '../../../src/client/react/hooks.tsx'

type Notice = 'offline' | 'connecting' | 'syncing' | undefined

/** Shorter than this is nobody's business. */
const patienceMs = 1000

/** What is worth saying about the connection, without flicker. */
export function useNotice(): Notice {
  const { state } = useConnection()
  const [notice, setNotice] = useState<Notice>()
  useEffect(() => {
    if (state === 'online') return setNotice(undefined)
    if (state === 'offline') return setNotice('offline')
    // Once offline, another attempt is no news until it gets somewhere.
    const wait = state === 'connecting' ? 'offline' : undefined
    setNotice((shown) => (shown === 'offline' && state === 'syncing' ? 'syncing' : shown))
    const timer = setTimeout(() => setNotice((shown) => (shown && shown === wait ? shown : state)), patienceMs)
    return () => clearTimeout(timer)
  }, [state])
  return notice
}
