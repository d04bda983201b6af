import { create } from 'zustand'
import { guardTyping, settleTyping } from '../lib/data/typing.ts'

const UPDATE_CHECK_MS = 60 * 60 * 1000
/** A page that is not told that the newer version has taken over is loaded from what there is after so long, in milliseconds. */
const TAKE_OVER_MS = 5_000

/** The worker of a newer version that waits for the person, or `undefined`. */
export const useWaitingVersion = create<{ readonly worker: ServiceWorker | undefined }>(() => ({ worker: undefined }))

/** Registers the service worker in builds, looks for a newer one at start, hourly and on focus. A page with something typed is not loaded again without a question. */
export async function registerServiceWorker(): Promise<void> {
  guardTyping()
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  const registration = await navigator.serviceWorker.register('/service-worker.js', { scope: '/' })
  const look = (): void => {
    registration.update().catch((error: unknown) => console.info('No newer version could be looked for.', error))
  }
  const offer = (worker: ServiceWorker): void => {
    // Without a controller this is the first visit: nothing old is in use.
    if (navigator.serviceWorker.controller) useWaitingVersion.setState({ worker })
  }
  if (registration.waiting) offer(registration.waiting)
  registration.addEventListener('updatefound', () => {
    const worker = registration.installing
    worker?.addEventListener('statechange', () => {
      if (worker.state === 'installed') offer(worker)
    })
  })
  setInterval(look, UPDATE_CHECK_MS)
  addEventListener('focus', look)
}

/**
 * Lets the waiting version take over, then loads the page from it. What is typed is stored first.
 *
 * @returns false when something that is typed cannot be stored as it is: nothing is loaded
 */
export async function takeNewVersion(worker: ServiceWorker): Promise<boolean> {
  if (!(await settleTyping())) return false
  // Another tab has let it take over already.
  if (worker.state === 'activating' || worker.state === 'activated') location.reload()
  else {
    navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
    navigator.serviceWorker.controller?.postMessage({ type: 'give-way' })
    worker.postMessage({ type: 'skip-waiting' })
    setTimeout(() => location.reload(), TAKE_OVER_MS)
  }
  return true
}
