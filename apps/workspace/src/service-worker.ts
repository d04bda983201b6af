import { isOwnFile } from './lib/own-file.ts'
import { shownNotification } from './lib/push/push-message.ts'
import {
  addPlugins,
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  getCacheKeyForURL,
  matchPrecache,
  precacheAndRoute,
} from 'workbox-precaching'

declare const self: Omit<ServiceWorkerGlobalScope, '__WB_MANIFEST'> & {
  readonly __WB_MANIFEST: { readonly url: string; readonly revision: string | null }[]
}

/** What only the server answers: a navigation to it is never the app. */
const SERVER_PATHS =
  /^\/(auth\/v1|rest\/v1|sync|write-checkpoint2\.json|health|docs|mailbox|metrics|app\/v1|storage\/v1|functions\/v1|realtime\/v1|admin\/v1)(\/|$)/

const manifest = self.__WB_MANIFEST
/** What only some devices need: the texts of another language than English, what draws the background of maps, and what reads codes. They keep it once they had it or asked for it. */
const parts = manifest
  .map(({ url }) => new URL(url, self.location.origin).href)
  .filter((url) => partOf(url) !== undefined)

// A version of which a file does not come is not installed: the one before stays, and the next start asks again.
addPlugins([
  { cacheWillUpdate: async ({ request, response }) => ((await isOwnFile(request.url, response)) ? response : null) },
])
// The shell, the workers and SQLite's wasm are all in the manifest, so a cold start needs no network.
precacheAndRoute(
  manifest.filter(({ url }) => partOf(url) === undefined),
  { cleanURLs: false },
)
cleanupOutdatedCaches()

/** The page puts the texts of its language there as well (`src/lib/data/load-texts.ts`). */
const PARTS_CACHE = 'holdfast-parts'

function partOf(url: string): string | undefined {
  return /\/?assets\/(german|maplibre-gl-worker|maplibre-gl|decode\.worker|zxing_reader)-[^/]*\.(?:m?js|wasm)$/.exec(
    url,
  )?.[1]
}
const CODE_READER: readonly (string | undefined)[] = ['decode.worker', 'zxing_reader']

// A new version has the parts that this device uses before it takes over.
self.addEventListener('install', (event) => {
  event.waitUntil(keepParts())
})

async function keepParts(): Promise<void> {
  const cache = await caches.open(PARTS_CACHE)
  const kept = new Set((await cache.keys()).map(({ url }) => partOf(url)))
  await keepFiles(
    cache,
    parts.filter((url) => kept.has(partOf(url))),
  )
}

/** For a browser that reads no codes itself (`src/lib/codes/keep-code-reader.ts`). */
async function keepCodeReader(): Promise<void> {
  const cache = await caches.open(PARTS_CACHE)
  const kept = new Set((await cache.keys()).map(({ url }) => url))
  const missing = parts.filter((url) => CODE_READER.includes(partOf(url)) && !kept.has(url))
  // It is asked for again with the next start of the app.
  await keepFiles(cache, missing).catch((error: unknown) => console.info('The reader of codes is not kept yet.', error))
}

/** @throws when one of them does not come; none is kept then */
async function keepFiles(cache: Cache, urls: readonly string[]): Promise<void> {
  const files = await Promise.all(urls.map(async (url) => [url, await fetch(url)] as const))
  for (const [url, response] of files) {
    if (!(await isOwnFile(url, response))) throw new TypeError(`${url} did not come.`)
  }
  for (const [url, response] of files) await cache.put(url, response)
}

async function forgetOlderParts(): Promise<void> {
  const cache = await caches.open(PARTS_CACHE)
  const older = (await cache.keys()).filter(({ url }) => !parts.includes(url))
  await Promise.all(older.map((request) => cache.delete(request)))
}

self.addEventListener('fetch', (event) => {
  if (parts.includes(event.request.url)) event.respondWith(answerWithPart(event.request))
})

/** Aborts when a newer version is to take over, which it cannot while a request of this one is under way: a bad line may hold it for minutes. */
let givesWay = new AbortController()

async function answerWithPart(request: Request): Promise<Response> {
  const cache = await caches.open(PARTS_CACHE)
  const kept = await cache.match(request)
  if (kept) return kept
  const response = await fetch(request, { signal: givesWay.signal })
  if (await isOwnFile(request.url, response)) await cache.put(request, response.clone())
  return response
}

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
  if (typeof message !== 'object' || message === null || !('type' in message)) return
  if (message.type === 'give-way') {
    givesWay.abort(new Error('A newer version of the app takes over.'))
    givesWay = new AbortController()
  }
  if (message.type === 'skip-waiting') event.waitUntil(self.skipWaiting())
  if (message.type === 'keep-code-reader') event.waitUntil(keepCodeReader())
  if (message.type === 'renew-shell') event.waitUntil(renewShell())
})

const SHELL = '/index.html'

/** The shell is kept with its content security policy, which the operator may have changed without a new version of the app. */
async function renewShell(): Promise<void> {
  const [kept, fresh] = await Promise.all([matchPrecache(SHELL), fetch(SHELL, { cache: 'no-store' })])
  const key = getCacheKeyForURL(SHELL)
  // Another version comes with its own files.
  if (!kept || !fresh.ok || key === undefined || (await kept.text()) !== (await fresh.clone().text())) return
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    if (await cache.match(key)) await cache.put(key, fresh.clone())
  }
}

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([self.clients.claim(), forgetOlderParts()]))
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
