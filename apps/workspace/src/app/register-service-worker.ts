import { create } from 'zustand'
import { guardTyping, settleTyping } from '../lib/data/typing.ts'

const UPDATE_CHECK_MS = 60 * 60 * 1000
/** Time in ms after which the page reloads even without a message that the new version has taken over. */
const TAKE_OVER_MS = 5_000

/** The waiting worker of a newer version, or `undefined`. */
export const useWaitingVersion = create<{ readonly worker: ServiceWorker | undefined }>(() => ({ worker: undefined }))

/** Times in ms after which a first visit downloads the rest of the app even though no rows have come: at the sign-in screen, and while signed in. */
const SIGNED_OUT_MS = 8_000
const SIGNED_IN_MS = 60_000

const working = Promise.withResolvers<void>()

/** Call once the user can work, so that the rest of the app can be downloaded. */
export const startKeeping = working.resolve

/** On a first visit, the download of all files would delay the first rows on a slow line. */
async function untilWorking(): Promise<void> {
  if (navigator.serviceWorker.controller) return
  setTimeout(() => {
    if (localStorage.getItem('holdfast-auth') === null) startKeeping()
  }, SIGNED_OUT_MS)
  setTimeout(startKeeping, SIGNED_IN_MS)
  await working.promise
}

/** Registers the service worker in builds. Checks for updates at start, hourly and on focus. A page with typed text never reloads without asking. */
export async function registerServiceWorker(): Promise<void> {
  guardTyping()
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  await untilWorking()
  const registration = await navigator.serviceWorker.register('/service-worker.js', { scope: '/' })
  const look = (): void => {
    registration.update().catch((error: unknown) => console.info('No newer version could be looked for.', error))
  }
  const offer = (worker: ServiceWorker): void => {
    // Without a controller this is the first visit, so no old version is in use.
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
 * Activates the waiting version and reloads the page. Stores typed text first.
 *
 * @returns false if typed text cannot be stored; the page then stays
 */
export async function takeNewVersion(worker: ServiceWorker): Promise<boolean> {
  if (!(await settleTyping())) return false
  // Another tab has already activated it.
  if (worker.state === 'activating' || worker.state === 'activated') location.reload()
  else {
    navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
    navigator.serviceWorker.controller?.postMessage({ type: 'give-way' })
    worker.postMessage({ type: 'skip-waiting' })
    setTimeout(() => location.reload(), TAKE_OVER_MS)
  }
  return true
}
