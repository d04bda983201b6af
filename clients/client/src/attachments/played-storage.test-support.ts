import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'

/**
 * Fault of a request. `lost_after`: executed, but the response is lost. `cut`: half of the response arrives. `half`: half of the request arrives, without
 * response.
 */
export type StorageFault = 'none' | 'hang' | 'lost_before' | 'lost_after' | 'portal' | 'cut' | 'half' | 403 | 413 | 503

interface StoredObject {
  readonly bytes: Buffer
  readonly metadata: Record<string, unknown>
  readonly by: string
}
interface PlayedUpload {
  readonly key: string
  readonly size: number
  readonly metadata: Record<string, unknown>
  bytes: Buffer
}

/** A simulated network and storage server behind a `fetch`. */
export interface PlayedStorage {
  readonly fetch: typeof globalThis.fetch
  readonly objects: Map<string, StoredObject>
  /** Consumed one per request. */
  readonly faults: StorageFault[]
  /** Method, path and byte range of each request. */
  readonly requests: string[]
}

const BASE = 'http://played.example/storage/v1'

/** Responds as storage does, with the statuses and bodies of its routes; an object can be stored once. */
export function playStorage(): PlayedStorage {
  const objects = new Map<string, StoredObject>()
  const uploads = new Map<string, PlayedUpload>()
  const faults: StorageFault[] = []
  const requests: string[] = []
  const fetch = async (input: string, init: RequestInit = {}): Promise<Response> => {
    const { method = 'GET', signal } = init
    const path = input.slice(BASE.length)
    const range = new Headers(init.headers).get('range')
    requests.push([method, path, range].filter((part) => part !== null).join(' '))
    const fault = faults.shift() ?? 'none'
    const early = await insteadOf(fault, signal)
    if (early) return early
    const body = init.body instanceof Blob ? Buffer.from(await init.body.arrayBuffer()) : Buffer.alloc(0)
    const arrived = fault === 'half' ? body.subarray(0, body.length / 2) : body
    const response = answer(method, path, new Headers(init.headers), arrived)
    if (fault === 'lost_after' || fault === 'half') throw new TypeError('fetch failed')
    if (fault !== 'cut') return response
    const whole = Buffer.from(await response.arrayBuffer())
    return new Response(whole.subarray(0, whole.length / 2), { status: response.status, headers: response.headers })
  }
  return { fetch: fetch as typeof globalThis.fetch, objects, faults, requests }

  function answer(method: string, path: string, headers: Headers, body: Buffer): Response {
    const by = headers.get('authorization')?.replace('Bearer ', '') ?? ''
    if (path.startsWith('/upload/resumable')) return resumable(method, path, headers, body)
    if (path.startsWith('/object/info/')) return info(path.slice('/object/info/'.length))
    if (path.startsWith('/object/authenticated/')) return download(path.slice('/object/authenticated/'.length), headers)
    const key = path.slice('/object/'.length)
    if (objects.has(key)) return refusal(400, '409', 'KeyAlreadyExists', 'The resource already exists')
    objects.set(key, { bytes: body, metadata: fromBase64(headers.get('x-metadata')), by })
    return Response.json({ Id: 'x', Key: key })
  }

  function info(key: string): Response {
    const object = objects.get(key)
    if (!object) return refusal(400, '404', 'NoSuchKey', 'Object not found')
    return Response.json({ size: object.bytes.length, metadata: object.metadata })
  }

  function download(key: string, asked: Headers): Response {
    const object = objects.get(key)
    if (!object) return refusal(400, '404', 'NoSuchKey', 'Object not found')
    const etag = `"${createHash('md5').update(object.bytes).digest('hex')}"`
    const isRest = asked.has('range') && asked.get('if-range') === etag
    const from = isRest ? Number(/^bytes=(\d+)-$/.exec(asked.get('range') ?? '')?.[1]) : 0
    const bytes = new Uint8Array(object.bytes.subarray(from))
    const headers = { etag, 'content-length': String(bytes.length) }
    return new Response(bytes, { status: isRest ? 206 : 200, headers })
  }

  function resumable(method: string, path: string, headers: Headers, body: Buffer): Response {
    const tus = { 'tus-resumable': '1.0.0' }
    if (method === 'POST') {
      const pairs = Object.fromEntries(
        (headers.get('upload-metadata') ?? '').split(',').map((pair) => {
          const [name = '', value = ''] = pair.split(' ')
          return [name, Buffer.from(value, 'base64').toString()]
        }),
      ) as { bucketName: string; objectName: string; metadata: string }
      const key = `${pairs.bucketName}/${pairs.objectName}`
      if (objects.has(key)) return new Response('The resource already exists', { status: 409, headers: tus })
      const id = String(uploads.size + 1)
      const size = Number(headers.get('upload-length'))
      const metadata = JSON.parse(pairs.metadata) as Record<string, unknown>
      uploads.set(id, { key, size, metadata, bytes: Buffer.alloc(0) })
      // As behind a proxy that hides the original host.
      return new Response(null, { status: 201, headers: { ...tus, location: `http://10.0.0.1${uploadPath(id)}` } })
    }
    const upload = uploads.get(path.slice('/upload/resumable/'.length))
    if (!upload || objects.has(upload.key)) return new Response('Not found', { status: 404, headers: tus })
    if (method === 'PATCH') {
      if (Number(headers.get('upload-offset')) !== upload.bytes.length)
        return new Response('Upload-Offset conflict', { status: 409, headers: tus })
      upload.bytes = Buffer.concat([upload.bytes, body])
      if (upload.bytes.length === upload.size)
        objects.set(upload.key, { bytes: upload.bytes, metadata: upload.metadata, by: '' })
    }
    const offset = { 'upload-offset': String(upload.bytes.length), 'upload-length': String(upload.size) }
    return new Response(null, { status: method === 'PATCH' ? 204 : 200, headers: { ...tus, ...offset } })
  }
}

/** Result of a request that does not reach the server. */
async function insteadOf(fault: StorageFault, signal: AbortSignal | null | undefined): Promise<Response | undefined> {
  if (fault === 'hang') return hang(signal)
  if (fault === 'lost_before') throw new TypeError('fetch failed')
  if (fault === 'portal') return new Response('<html>Welcome to the hotel</html>', { status: 200 })
  if (fault === 403) return refusal(400, '403', 'AccessDenied', 'new row violates row-level security policy')
  if (fault === 413) return refusal(400, '413', 'EntityTooLarge', 'The object exceeded the maximum allowed size')
  if (fault === 503) return new Response('upstream', { status: 503 })
  return undefined
}

function uploadPath(id: string): string {
  return `/storage/v1/upload/resumable/${id}`
}

function hang(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(signal?.reason as Error)
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop)
  })
}

function refusal(status: number, statusCode: string, code: string, message: string): Response {
  return Response.json({ statusCode, error: code, code, message }, { status })
}

function fromBase64(text: string | null): Record<string, unknown> {
  return text === null ? {} : (JSON.parse(Buffer.from(text, 'base64').toString()) as Record<string, unknown>)
}
