import { useCallback, useEffect, useRef, useState } from 'react'
import { disablePush, enablePush, type PushState, pushState, resumePush } from '../../../src/client/push.ts'
import { useChat } from '../../../src/client/react/hooks.tsx'
import { registerWorker } from './register-worker.ts'

type PushSwitch = {
  serviceWorker: ServiceWorkerRegistration | undefined
  /** Undefined while it is not known. */
  state: PushState | undefined
  /** What it is about to be. */
  wanted: boolean | undefined
  /** Why it could not be changed. */
  problem: string | undefined
  change(on: boolean): void
}

/** Whether this browser shows banners for whoever is here, and how to change that. */
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

  /** A chat that is closed meanwhile leaves its questions without an answer: nobody is here to miss it. */
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
    // Another window may have changed it, or the browser's settings, or somebody else may be registered by now.
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
