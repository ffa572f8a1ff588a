import { useConnection } from '@parley/client/react'
import { useEffect, useState } from 'react'

type Notice = 'offline' | 'connecting' | 'syncing' | undefined

/** A shorter interruption is not shown. */
const patienceMs = 1000

/** Returns what to show about the connection, without flicker. */
export function useNotice(): Notice {
  const { state } = useConnection()
  const [notice, setNotice] = useState<Notice>()
  useEffect(() => {
    if (state === 'online') return setNotice(undefined)
    if (state === 'offline') return setNotice('offline')
    // While offline, another attempt changes nothing until it succeeds.
    const wait = state === 'connecting' ? 'offline' : undefined
    setNotice((shown) => (shown === 'offline' && state === 'syncing' ? 'syncing' : shown))
    const timer = setTimeout(() => setNotice((shown) => (shown && shown === wait ? shown : state)), patienceMs)
    return () => clearTimeout(timer)
  }, [state])
  return notice
}
