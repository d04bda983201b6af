import { shownNotification } from './lib/push/push-message.ts'
import { createHandlerBoundToURL, cleanupOutdatedCaches, precacheAndRoute } from 'workbox-precaching'

declare const self: Omit<ServiceWorkerGlobalScope, '__WB_MANIFEST'> & {
  readonly __WB_MANIFEST: { readonly url: string; readonly revision: string | null }[]
}

/** What only the server answers: a navigation to it is never the app. */
const SERVER_PATHS =
  /^\/(auth\/v1|rest\/v1|sync|write-checkpoint2\.json|health|mailbox|metrics|app\/v1|storage\/v1|functions\/v1|realtime\/v1|admin\/v1)(\/|$)/

const manifest = self.__WB_MANIFEST
/** Texts of other languages than English: only the devices whose reader has the language keep them. */
const texts = manifest
  .map(({ url }) => new URL(url, self.location.origin).href)
  .filter((url) => languageOf(url) !== undefined)

// The shell, the workers and SQLite's wasm are all in the manifest, so a cold start needs no network.
precacheAndRoute(
  manifest.filter(({ url }) => languageOf(url) === undefined),
  { cleanURLs: false },
)
cleanupOutdatedCaches()

/** The page puts the texts of its language there (`src/app/load-texts.ts`). */
const TEXTS_CACHE = 'holdfast-texts'

function languageOf(url: string): string | undefined {
  return /\/?assets\/(german)-[^/]*\.js$/.exec(url)?.[1]
}

// A new version has the texts of the languages that this device reads before it takes over.
self.addEventListener('install', (event) => {
  event.waitUntil(keepTexts())
})

async function keepTexts(): Promise<void> {
  const cache = await caches.open(TEXTS_CACHE)
  const kept = new Set((await cache.keys()).map(({ url }) => languageOf(url)))
  await cache.addAll(texts.filter((url) => kept.has(languageOf(url))))
}

async function forgetOlderTexts(): Promise<void> {
  const cache = await caches.open(TEXTS_CACHE)
  const older = (await cache.keys()).filter(({ url }) => !texts.includes(url))
  await Promise.all(older.map((request) => cache.delete(request)))
}

self.addEventListener('fetch', (event) => {
  if (!texts.includes(event.request.url)) return
  event.respondWith(caches.match(event.request).then((kept) => kept ?? fetch(event.request)))
})

const answerWithShell = createHandlerBoundToURL('/index.html')

self.addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate') return
  const url = new URL(event.request.url)
  if (url.origin !== self.location.origin || SERVER_PATHS.test(url.pathname)) return
  // Precached pages answer themselves; every other address of the app is the shell.
  if (url.pathname.includes('.')) return
  event.respondWith(answerWithShell({ event, request: event.request, url }))
})

// A new version waits: tabs of the old one keep the files they were loaded with until the person agrees.
self.addEventListener('message', (event) => {
  const message: unknown = event.data
  if (typeof message === 'object' && message !== null && 'type' in message && message.type === 'skip-waiting') {
    event.waitUntil(self.skipWaiting())
  }
})

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([self.clients.claim(), forgetOlderTexts()]))
})

self.addEventListener('push', (event) => {
  const { title, body, tag, path } = shownNotification(event.data?.text(), self.navigator.language)
  event.waitUntil(
    self.registration.showNotification(title, { body, tag, icon: '/icon-192.png', badge: '/icon-192.png', data: path }),
  )
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const path: unknown = event.notification.data
  event.waitUntil(openApp(typeof path === 'string' ? path : '/'))
})

/** In a window that is open, where it goes on without being loaded again, so that nothing typed is lost; else in a new one. */
async function openApp(path: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: 'window' })
  const [window] = windows.toSorted((a, b) => Number(b.focused) - Number(a.focused))
  if (!window) {
    await self.clients.openWindow(path)
    return
  }
  window.postMessage({ type: 'open', path })
  await window.focus()
}
