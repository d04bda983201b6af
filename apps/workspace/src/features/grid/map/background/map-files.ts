/** Timeout in ms for a request that receives no data. */
export const SILENCE_MS = 8_000
/** Size limit of a style, tile, glyph range or sprite. */
export const FILE_BYTES_MAX = 4 * 1024 * 1024
/** Size limit of the offline map cache: some hundred screens. */
export const KEPT_BYTES_MAX = 48 * 1024 * 1024
export const KEPT_FILES_MAX = 3_000
/** Age in ms after which a file is fetched again once it was used. */
const RENEWED_MS = 24 * 3_600_000
/** Writes between two evictions. */
const PUTS_PER_LOOK = 50

const KEPT_AT = 'x-kept-at'
const BYTES = 'x-kept-bytes'

export interface MapFilesOptions {
  readonly fetch: typeof fetch
  /** `undefined` if the browser has no cache storage; nothing is then kept. */
  readonly openCache: (() => Promise<Cache>) | undefined
  readonly now: () => number
  readonly isOnline: () => boolean
}

export interface MapFiles {
  /**
   * Returns a map file from this device's cache, or else from its server.
   *
   * @returns `undefined` if the address has no file
   * @throws if the file cannot be loaded, is too large, or nothing arrives for {@link SILENCE_MS}
   */
  read(address: string, signal?: AbortSignal): Promise<ArrayBuffer | undefined>
}

/** Creates a cache of map files. Files once seen are available offline; the oldest are evicted first. */
export function createMapFiles({ fetch, openCache, now, isOnline }: MapFilesOptions): MapFiles {
  let opening: Promise<Cache> | undefined
  let puts = 0
  const renewed = new Set<string>()
  const open = async (): Promise<Cache | undefined> => openCache && (opening ??= openCache())

  const keep = async (address: string, bytes: ArrayBuffer): Promise<void> => {
    const cache = await open()
    if (!cache) return
    const headers = { [KEPT_AT]: String(now()), [BYTES]: String(bytes.byteLength) }
    await cache.put(address, new Response(bytes.slice(0), { headers }))
    if (puts++ % PUTS_PER_LOOK === 0) await forgetOldest(cache)
  }
  const fetchAndKeep = async (address: string, signal?: AbortSignal): Promise<ArrayBuffer | undefined> => {
    const bytes = await fetchWhole(fetch, address, signal)
    // Not awaited: the map is drawn even if there is no room to keep the file.
    if (bytes) keep(address, bytes).catch((error: unknown) => console.info('A piece of a map is not kept.', error))
    return bytes
  }
  return {
    async read(address, signal) {
      const kept = await (await open())?.match(address)
      if (!kept) return fetchAndKeep(address, signal)
      const isOld = now() - Number(kept.headers.get(KEPT_AT)) > RENEWED_MS
      if (isOld && isOnline() && !renewed.has(address)) {
        renewed.add(address)
        fetchAndKeep(address)
          .catch((error: unknown) => console.info('A piece of a map is shown as it was.', error))
          .finally(() => renewed.delete(address))
      }
      return kept.arrayBuffer()
    },
  }
}

/** Evicts the oldest files beyond the size limit. */
async function forgetOldest(cache: Cache): Promise<void> {
  const [requests, responses] = await Promise.all([cache.keys(), cache.matchAll()])
  const files = requests
    .map((request, index) => ({
      request,
      at: Number(responses[index]?.headers.get(KEPT_AT)),
      bytes: Number(responses[index]?.headers.get(BYTES)),
    }))
    .toSorted((a, b) => b.at - a.at)
  let bytes = 0
  const older = files.filter((file, index) => (bytes += file.bytes) > KEPT_BYTES_MAX || index >= KEPT_FILES_MAX)
  await Promise.all(older.map(({ request }) => cache.delete(request)))
}

async function fetchWhole(
  fetch: typeof globalThis.fetch,
  address: string,
  signal: AbortSignal | undefined,
): Promise<ArrayBuffer | undefined> {
  const silence = new AbortController()
  const giveUp = (): void => silence.abort(new DOMException(`Nothing came for ${SILENCE_MS} ms.`, 'TimeoutError'))
  let timer = setTimeout(giveUp, SILENCE_MS)
  try {
    const response = await fetch(address, {
      credentials: 'omit',
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    })
    if ([204, 404, 410].includes(response.status)) return undefined
    if (!response.ok) throw new Error(`${new URL(address).origin} answered ${response.status}`)
    return await readBody(response, () => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, SILENCE_MS)
    })
  } finally {
    clearTimeout(timer)
  }
}

async function readBody(response: Response, onBytes: () => void): Promise<ArrayBuffer> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  const reader = response.body?.getReader()
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    onBytes()
    pieces.push(next.value)
    length += next.value.byteLength
    if (length <= FILE_BYTES_MAX) continue
    await reader?.cancel()
    throw new Error(`${new URL(response.url).origin} sent more than ${FILE_BYTES_MAX} bytes for a map`)
  }
  return new Blob(pieces).arrayBuffer()
}
