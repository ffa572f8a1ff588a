/** Returns undefined if there are no service workers, as on pages without TLS. */
export async function registerWorker(): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in navigator)) return undefined
  try {
    // Vite's development server serves modules; the build is one script.
    const type = import.meta.env.DEV ? 'module' : 'classic'
    await navigator.serviceWorker.register('/sw.js', { scope: '/', type, updateViaCache: 'none' })
  } catch (error) {
    // Without a network none can be fetched, but one may be registered already.
    if (!(await navigator.serviceWorker.getRegistration('/'))) {
      console.warn('There will be no notifications.', error)
      return undefined
    }
  }
  return navigator.serviceWorker.ready
}
