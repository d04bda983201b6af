import { isOwnFile } from './lib/own-file.ts'
import { shownNotification } from './lib/push/push-message.ts'
import { cleanupOutdatedCaches, PrecacheController } from 'workbox-precaching'

declare const self: Omit<ServiceWorkerGlobalScope, '__WB_MANIFEST'> & {
  readonly __WB_MANIFEST: { readonly url: string; readonly revision: string | null }[]
}

/** What only the server answers: a navigation to it is never the app. */
const SERVER_PATHS =
  /^\/(auth\/v1|rest\/v1|sync|write-checkpoint2\.json|health|docs|console|mailbox|metrics|app\/v1|storage\/v1|functions\/v1|realtime\/v1|admin\/v1)(\/|$)/

const manifest = self.__WB_MANIFEST
/**
 * What only some devices need: the texts of another language than English, what draws the background of maps, what reads codes, and SQLite without synchronous
 * files. They keep it once they had it or asked for it.
 */
const parts = manifest
  .map(({ url }) => new URL(url, self.location.origin).href)
  .filter((url) => partOf(url) !== undefined)

const needed = manifest.filter(({ url }) => partOf(url) === undefined)

// A version of which a file does not come is not installed: the one before stays, and the next start asks again.
const app = new PrecacheController({
  plugins: [
    { cacheWillUpdate: async ({ request, response }) => ((await isOwnFile(request.url, response)) ? response : null) },
  ],
})
// The shell, the workers and SQLite's wasm are all in the manifest, so a cold start needs no network.
app.addToCacheList(needed)
cleanupOutdatedCaches()

self.addEventListener('install', (event) => {
  // Workbox fetches one file after another. On a bad line each takes half a second, whatever its size, so most are there when it looks.
  event.waitUntil(fetchAhead().then(() => app.install(event)))
})

/** As many as browsers allow to one server over HTTP/1. */
const FETCHES_MAX = 6

/** Caches the app's files, in the order of the manifest. Files that do not come are left to Workbox, which then reports them. */
async function fetchAhead(): Promise<void> {
  const cache = await caches.open(app.strategy.cacheName)
  const left = needed.values()
  const fetchNext = async (): Promise<void> => {
    for (const { url, revision } of left) {
      const key = app.getCacheKeyForURL(url)
      if (key === undefined || (await cache.match(key))) continue
      try {
        const response = await fetch(url, { cache: revision === null ? 'default' : 'reload', priority: 'low' })
        if (await isOwnFile(new URL(url, self.location.origin).href, response)) await cache.put(key, response)
      } catch (error) {
        console.info(`${url} is asked for once more.`, error)
      }
    }
  }
  await Promise.all(Array.from({ length: FETCHES_MAX }, fetchNext))
}

self.addEventListener('fetch', (event) => {
  const { request } = event
  const cacheKey = request.method === 'GET' ? app.getCacheKeyForURL(request.url) : undefined
  if (cacheKey !== undefined) event.respondWith(app.strategy.handle({ event, request, params: { cacheKey } }))
})

/** The page puts the texts of its language there as well (`src/lib/data/load-texts.ts`). */
const PARTS_CACHE = 'holdfast-parts'

function partOf(url: string): string | undefined {
  return /\/?assets\/(german|maplibre-gl-worker|maplibre-gl|decode\.worker|zxing_reader|wa-sqlite-async|IDBBatchAtomicVFS|MemoryVFS)-[^/]*\.(?:m?js|wasm)$/.exec(
    url,
  )?.[1]
}
type Parts = readonly (string | undefined)[]
const CODE_READER: Parts = ['decode.worker', 'zxing_reader']
/** For a browser without synchronous files (`src/lib/data/choose-store.ts`). */
const OTHER_STORES: Parts = ['wa-sqlite-async', 'IDBBatchAtomicVFS', 'MemoryVFS']

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

/** @returns whether all of them are kept. If not, they are asked for again with the next start of the app */
async function keep(wanted: Parts): Promise<boolean> {
  const cache = await caches.open(PARTS_CACHE)
  const kept = new Set((await cache.keys()).map(({ url }) => url))
  const missing = parts.filter((url) => wanted.includes(partOf(url)) && !kept.has(url))
  try {
    await keepFiles(cache, missing)
    return true
  } catch (error) {
    console.info('Parts of the app are not kept yet.', error)
    return false
  }
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

const answerWithShell = app.createHandlerBoundToURL('/index.html')

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
  // For a browser that reads no codes itself (`src/app/shell/bottom-bar.tsx`).
  if (message.type === 'keep-code-reader') event.waitUntil(keep(CODE_READER))
  if (message.type === 'keep-store')
    event.waitUntil(keep(OTHER_STORES).then((kept) => event.ports[0]?.postMessage(kept)))
  if (message.type === 'renew-shell') event.waitUntil(renewShell())
})

const SHELL = '/index.html'

/** The shell is kept with its content security policy, which the operator may have changed without a new version of the app. */
async function renewShell(): Promise<void> {
  const [kept, fresh] = await Promise.all([app.matchPrecache(SHELL), fetch(SHELL, { cache: 'no-store' })])
  const key = app.getCacheKeyForURL(SHELL)
  // Another version comes with its own files.
  if (!kept || !fresh.ok || key === undefined || (await kept.text()) !== (await fresh.clone().text())) return
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    if (await cache.match(key)) await cache.put(key, fresh.clone())
  }
}

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([self.clients.claim(), app.activate(event), forgetOlderParts()]))
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
