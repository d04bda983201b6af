import { createHandlerBoundToURL, cleanupOutdatedCaches, precacheAndRoute } from 'workbox-precaching'

declare const self: ServiceWorkerGlobalScope & { readonly __WB_MANIFEST: { url: string; revision: string | null }[] }

/** What only the server answers: a navigation to it is never the app. */
const SERVER_PATHS =
  /^\/(auth\/v1|rest\/v1|sync|write-checkpoint2\.json|health|app\/v1|storage\/v1|functions\/v1|realtime\/v1|admin\/v1)(\/|$)/

// The shell, the workers and SQLite's wasm are all in the manifest, so a cold start needs no network.
precacheAndRoute(self.__WB_MANIFEST, { cleanURLs: false })
cleanupOutdatedCaches()

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
  event.waitUntil(self.clients.claim())
})
