/** Undefined where there are no service workers, as on pages without TLS. */
export async function registerWorker(): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in navigator)) return undefined
  try {
    // Vite's development server hands out modules, the build is one script.
    const type = import.meta.env.DEV ? 'module' : 'classic'
    await navigator.serviceWorker.register('/sw.js', { scope: '/', type, updateViaCache: 'none' })
  } catch (error) {
    // Without a network there is none to be had, and yet one may be there.
    if (!(await navigator.serviceWorker.getRegistration('/'))) {
      console.warn('There will be no notifications.', error)
      return undefined
    }
  }
  return navigator.serviceWorker.ready
}
