import { disablePush, enablePush, type PushState, pushState, resumePush } from '@parley/client/push'
import { useChat } from '@parley/client/react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { registerWorker } from './register-worker.ts'

type PushSwitch = {
  serviceWorker: ServiceWorkerRegistration | undefined
  /** Is undefined while it is not known. */
  state: PushState | undefined
  /** The state that was chosen and is not reached yet. */
  wanted: boolean | undefined
  /** The reason why it could not be changed. */
  problem: string | undefined
  change(on: boolean): void
}

/** Says whether this browser shows banners for the user, and changes it. */
export function usePush(): PushSwitch {
  const chat = useChat()
  const [serviceWorker, setServiceWorker] = useState<ServiceWorkerRegistration>()
  const [state, setState] = useState<PushState>()
  const [wanted, setWanted] = useState<boolean>()
  const [problem, setProblem] = useState<string>()
  const isHere = useRef(true)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])

  /** Ignores answers that come after the component is gone, such as those of a closed chat. */
  const show = useCallback(async (asked: Promise<PushState>, otherwise: () => Promise<PushState>): Promise<void> => {
    try {
      const found = await asked
      if (isHere.current) setState(found)
    } catch (error) {
      if (!isHere.current) return
      setProblem(error instanceof Error ? error.message : String(error))
      setState(await otherwise().catch(() => 'off' as const))
    }
  }, [])

  useEffect(() => {
    registerWorker().then((found) => {
      if (!isHere.current) return
      setServiceWorker(found)
      if (!found) return setState('unsupported')
      const options = { serviceWorker: found }
      void show(resumePush(chat, options), () => pushState(chat, options))
    }, console.error)
  }, [chat, show])

  useEffect(() => {
    if (!serviceWorker) return
    const refresh = () => {
      const look = () => pushState(chat, { serviceWorker })
      if (document.visibilityState === 'visible') void show(look(), look)
    }
    // Another window, the browser's settings or another user may have changed it.
    document.addEventListener('visibilitychange', refresh)
    let permission: PermissionStatus | undefined
    navigator.permissions?.query({ name: 'notifications' }).then((found) => {
      permission = found
      permission.onchange = refresh
    }, console.warn)
    return () => {
      document.removeEventListener('visibilitychange', refresh)
      if (permission) permission.onchange = null
    }
  }, [chat, serviceWorker, show])

  return {
    serviceWorker,
    state,
    wanted,
    problem,
    change(on) {
      if (!serviceWorker) return
      const options = { serviceWorker }
      setWanted(on)
      setProblem(undefined)
      const look = () => pushState(chat, options)
      const changed = on ? enablePush(chat, options) : disablePush(chat, options).then(look)
      void show(changed, look).finally(() => setWanted(undefined))
    },
  }
}
