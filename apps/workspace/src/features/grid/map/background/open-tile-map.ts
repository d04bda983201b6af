import type { GetResourceResponse, Map as LibraryMap, RequestParameters } from 'maplibre-gl'
import workerAddress from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url'
import { latePart } from '../../../../lib/late-part.ts'
import { MAP_CACHE } from '../../../../lib/data/map-cache.ts'
import type { Camera } from '../../../../lib/map/projection.ts'
import type { BackgroundEvent } from './background-state.ts'
import { createMapFiles, SILENCE_MS } from './map-files.ts'

/** Protocol that routes the library's requests through our cache and timeouts. */
const OUR_PROTOCOL = 'kept-'

const files = createMapFiles({
  fetch: (address, init) => fetch(address, init),
  openCache: 'caches' in globalThis ? () => caches.open(MAP_CACHE) : undefined,
  now: () => Date.now(),
  isOnline: () => navigator.onLine,
})

/** 300 kB and a worker of 150 kB, loaded with the first map if the server names a style. */
const library = latePart(async () => {
  const loaded = await import('maplibre-gl')
  loaded.setWorkerUrl(workerAddress)
  for (const protocol of ['http', 'https']) loaded.addProtocol(`${OUR_PROTOCOL}${protocol}`, readFile)
  return loaded
})

async function readFile(
  { url, type }: RequestParameters,
  { signal }: AbortController,
): Promise<GetResourceResponse<ArrayBuffer | string | object>> {
  const address = url.slice(OUR_PROTOCOL.length)
  const bytes = await files.read(address, signal)
  if (type === 'arrayBuffer') return { data: bytes ?? new ArrayBuffer(0) } // the sea may have no tile
  if (!bytes) throw new Error(`There is nothing at ${address}`)
  if (type === 'image') return { data: bytes }
  const text = new TextDecoder().decode(bytes)
  return { data: type === 'json' ? (JSON.parse(text) as object) : text }
}

/** A background map opened in an element. */
export interface TileMap {
  moveTo(camera: Camera): void
  close(): void
}

export interface TileMapOptions {
  readonly container: HTMLElement
  /** URL of a MapLibre style. */
  readonly style: string
  readonly camera: Camera
  report(event: BackgroundEvent): void
  /** Called with the attributions of the style's sources. */
  onAttributions(attributions: readonly string[]): void
}

/** Opens a background map. Reports every outcome instead of throwing. The map takes no input; the view moves it. */
export function openTileMap({ container, style, camera, report, onAttributions }: TileMapOptions): TileMap {
  let map: LibraryMap | undefined
  let wanted = camera
  let isClosed = false
  const silence = createSilence(() => report('silent'))
  const watched = watchPolicy(style, () => report('forbidden'))

  library.load().then(
    ({ Map }) => {
      if (isClosed) return
      silence.begin()
      try {
        map = new Map({
          container,
          style,
          ...toLibrary(wanted),
          // Below zoom 1 the world is smaller than the window; without constraints the records stay in place.
          transformConstrain: (center, zoom) => ({ center, zoom }),
          transformRequest: (url) => ({ url: /^https?:/.test(url) ? `${OUR_PROTOCOL}${url}` : url }),
          attributionControl: false,
          interactive: false,
          trackResize: true,
          refreshExpiredTiles: false,
          fadeDuration: 0,
        })
      } catch (error) {
        console.info('This browser draws no map background.', error)
        silence.end()
        return report('broken')
      }
      follow(map, { report, silence, onAttributions })
    },
    (error: unknown) => {
      console.info('What draws the map background could not be loaded.', error)
      report('broken')
    },
  )
  silence.begin()
  return {
    moveTo(next) {
      wanted = next
      map?.jumpTo(toLibrary(next))
    },
    close() {
      isClosed = true
      silence.end()
      watched.end()
      map?.remove()
    },
  }
}

/** Converts the zoom: at zoom 0 our world is 256 pixels wide, the library's 512. */
function toLibrary({ lon, lat, zoom }: Camera): { readonly center: [number, number]; readonly zoom: number } {
  return { center: [lon, lat], zoom: zoom - 1 }
}

function follow(
  map: LibraryMap,
  {
    report,
    silence,
    onAttributions,
  }: Pick<TileMapOptions, 'report' | 'onAttributions'> & { readonly silence: Silence },
): void {
  let hasStyle = false
  map.on('style.load', () => {
    hasStyle = true
  })
  map.on('error', ({ error }) => {
    console.info('The map background:', error)
    silence.begin()
    report(hasStyle ? 'failed' : 'broken')
  })
  map.on('sourcedata', (event) => {
    silence.begin()
    if (event.tile !== undefined) report('tile')
    if (event.sourceDataType === 'metadata') onAttributions(attributionsOf(map))
  })
  map.on('load', () => {
    silence.end()
    onAttributions(attributionsOf(map))
    report('drawn')
  })
  map.on('webglcontextlost', () => report('broken'))
  map.on('webglcontextrestored', () => report('drawn'))
}

function attributionsOf(map: LibraryMap): readonly string[] {
  return Object.keys(map.getStyle().sources).flatMap((id) => map.getSource(id)?.attribution ?? [])
}

interface Silence {
  /** Restarts the timer. */
  begin(): void
  end(): void
}

/** Reports when nothing has arrived for longer than the timeout of one request. */
function createSilence(onSilent: () => void): Silence {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    begin() {
      clearTimeout(timer)
      timer = setTimeout(onSilent, SILENCE_MS + 1_000)
    },
    end: () => clearTimeout(timer),
  }
}

/** Watches for policy violations. The cached page may have a policy from before the operator configured the map; the service worker then fetches it again. */
function watchPolicy(style: string, onForbidden: () => void): { end(): void } {
  const look = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent): void => {
    if (effectiveDirective !== 'connect-src' || !blockedURI.startsWith(new URL(style).origin)) return
    navigator.serviceWorker?.controller?.postMessage({ type: 'renew-shell' })
    onForbidden()
  }
  document.addEventListener('securitypolicyviolation', look)
  return { end: () => document.removeEventListener('securitypolicyviolation', look) }
}
