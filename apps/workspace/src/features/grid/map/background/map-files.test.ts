import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createMapFiles, FILE_BYTES_MAX, KEPT_BYTES_MAX, SILENCE_MS } from './map-files.ts'

const TILE = 'https://tiles.example.com/3/1/2.pbf'
const HOUR = 3_600_000

/** A cache that lists its entries in insertion order, like a browser's. */
class KeptFiles {
  readonly entries = new Map<string, Response>()
  match = (address: string) => Promise.resolve(this.entries.get(address)?.clone())
  put = (address: string, response: Response) => Promise.resolve(void this.entries.set(address, response))
  keys = () => Promise.resolve([...this.entries.keys()].map((url) => new Request(url)))
  matchAll = () => Promise.resolve([...this.entries.values()])
  delete = ({ url }: Request) => Promise.resolve(this.entries.delete(url))
}

let kept: KeptFiles
let clock: number
let isOnline: boolean
const server = vi.fn<typeof fetch>()
const files = () =>
  createMapFiles({
    fetch: server,
    openCache: () => Promise.resolve(kept as unknown as Cache),
    now: () => clock,
    isOnline: () => isOnline,
  })
const text = async (bytes: Promise<ArrayBuffer | undefined>) => new TextDecoder().decode(await bytes)
const cutLine = () => Promise.reject(new TypeError('Failed to fetch'))

beforeEach(() => {
  kept = new KeptFiles()
  clock = 1_000_000_000_000
  isOnline = true
  server.mockReset()
})

afterEach(() => {
  vi.useRealTimers()
})

describe('files of maps', () => {
  test('are there off line once they were seen', async () => {
    server.mockResolvedValueOnce(new Response('a tile'))
    expect(await text(files().read(TILE))).toBe('a tile')
    await vi.waitFor(() => expect(kept.entries.size).toBe(1), 20_000)
    server.mockImplementation(cutLine)
    isOnline = false
    clock += 48 * HOUR
    expect(await text(files().read(TILE))).toBe('a tile')
    expect(server).toHaveBeenCalledTimes(1)
    await expect(files().read(`${TILE}?other`)).rejects.toThrow('Failed to fetch')
  })

  test('show as they are kept, and are renewed after a day for the next time', async () => {
    server.mockResolvedValueOnce(new Response('old')).mockResolvedValueOnce(new Response('new'))
    const map = files()
    await map.read(TILE)
    await vi.waitFor(() => expect(kept.entries.size).toBe(1), 20_000)
    clock += 23 * HOUR
    expect(await text(map.read(TILE))).toBe('old')
    expect(server).toHaveBeenCalledTimes(1)
    clock += 2 * HOUR
    expect(await Promise.all([text(map.read(TILE)), text(map.read(TILE))])).toEqual(['old', 'old'])
    await vi.waitFor(async () => expect(await text(map.read(TILE))).toBe('new'), 20_000)
    expect(server).toHaveBeenCalledTimes(2)
  })

  test('are none where the server has none, and refused where it fails; neither is kept', async () => {
    server
      .mockResolvedValueOnce(new Response('', { status: 404 }))
      .mockResolvedValueOnce(new Response('', { status: 500 }))
    expect(await files().read(TILE)).toBeUndefined()
    await expect(files().read(TILE)).rejects.toThrow('https://tiles.example.com answered 500')
    expect(kept.entries.size).toBe(0)
  })

  test('are given up when nothing comes, also in the middle of one', async () => {
    vi.useFakeTimers()
    const stuck = (init: RequestInit | undefined, sent: readonly string[]) =>
      new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            for (const piece of sent) controller.enqueue(new TextEncoder().encode(piece))
            init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason))
          },
        }),
      )
    server.mockImplementation((_, init) => Promise.resolve(stuck(init, ['half a tile'])))
    const read = expect(files().read(TILE)).rejects.toThrow(`Nothing came for ${SILENCE_MS} ms.`)
    await vi.advanceTimersByTimeAsync(SILENCE_MS)
    await read
  })

  test('end when they are not wanted any more', async () => {
    const given = new AbortController()
    server.mockImplementation(
      (_, init) =>
        new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('ended')))),
    )
    const read = expect(files().read(TILE, given.signal)).rejects.toThrow('ended')
    await vi.waitFor(() => expect(server).toHaveBeenCalledOnce(), 20_000)
    given.abort()
    await read
  })

  test('are refused when they are larger than any', async () => {
    server.mockResolvedValueOnce(new Response(new Uint8Array(FILE_BYTES_MAX + 1)))
    await expect(files().read(TILE)).rejects.toThrow()
  })

  test('stay within their room, and the oldest go', async () => {
    const old = { 'x-kept-at': String(clock - HOUR), 'x-kept-bytes': String(KEPT_BYTES_MAX - 10) }
    const newer = { 'x-kept-at': String(clock - 1), 'x-kept-bytes': '10' }
    kept.entries.set('https://tiles.example.com/newer', new Response('newer', { headers: newer }))
    kept.entries.set('https://tiles.example.com/old', new Response('old', { headers: old }))
    server.mockResolvedValueOnce(new Response('a tile'))
    await files().read(TILE)
    await vi.waitFor(() => expect([...kept.entries.keys()]).toEqual(['https://tiles.example.com/newer', TILE]), 20_000)
  })
})
