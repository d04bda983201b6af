import type { Readable } from 'node:stream'
import type { Semaphore } from '@holdfast/foundation'
import { isVersion, type Backend } from '../backend/backend.ts'
import { invalidRequest, noSuchKey } from '../errors.ts'
import { IMAGE_SOURCE_BYTES_MAX } from '../limits.ts'
import { drawImage } from './draw-image.ts'
import type { ImageCache } from './image-cache.ts'
import { formatOf, SIGNATURE_BYTES, type ImageFormat } from './image-format.ts'
import { nameOfResult, type Transform } from './transform.ts'

export interface ImageRequest {
  readonly version: string | null
  readonly transform: Transform
  /** The Accept header. */
  readonly accept: string | undefined
  readonly userKey: string | undefined
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

export interface RenderedImage {
  readonly bytes: Buffer
  readonly format: ImageFormat
  readonly eTag: string
}

/** Renders images of versions, coalescing concurrent requests for the same result. */
export class ImageRenderer {
  readonly #backend: Backend
  readonly #cache: ImageCache
  /** Fair by user: whoever asks for many images waits behind their own. */
  readonly #semaphore: Semaphore
  readonly #drawing = new Map<string, Promise<Buffer>>()

  constructor(backend: Backend, cache: ImageCache, semaphore: Semaphore) {
    this.#backend = backend
    this.#cache = cache
    this.#semaphore = semaphore
  }

  /** @throws {HoldfastError} `NoSuchKey`; `InvalidRequest` if it is not an image or too large */
  async render({ version, transform, accept, userKey, signal }: ImageRequest): Promise<RenderedImage> {
    if (!isVersion(version)) throw noSuchKey()
    const source = formatOf((await this.#read(version, SIGNATURE_BYTES)) ?? Buffer.alloc(0))
    if (!source) throw invalidRequest('The object is not a supported image: JPEG, PNG, WebP, AVIF or GIF')
    const format = targetOf(transform, source, accept)
    const name = nameOfResult(transform, format)
    const known = await this.#cache.find(version, name)
    const bytes = known ?? (await this.#drawOnce(version, name, userKey, signal, { transform, format }))
    return { bytes, format, eTag: `"${version}-${name}"` }
  }

  #drawOnce(
    version: string,
    name: string,
    userKey: string | undefined,
    signal: AbortSignal,
    wanted: { readonly transform: Transform; readonly format: ImageFormat },
  ): Promise<Buffer> {
    const key = `${version}/${name}`
    const underWay = this.#drawing.get(key)
    // The first requester may disconnect, which cancels the shared rendering.
    if (underWay) return underWay.catch(() => this.#draw(version, name, userKey, signal, wanted))
    const mine = this.#draw(version, name, userKey, signal, wanted).finally(() => this.#drawing.delete(key))
    this.#drawing.set(key, mine)
    return mine
  }

  #draw(
    version: string,
    name: string,
    userKey: string | undefined,
    signal: AbortSignal,
    { transform, format }: { readonly transform: Transform; readonly format: ImageFormat },
  ): Promise<Buffer> {
    // Callers trusted with everything share one key.
    return this.#semaphore.run({ key: userKey ?? '', signal }, async () => {
      const source = await this.#read(version)
      if (!source) throw noSuchKey()
      const bytes = await drawImage(source, transform, format)
      await this.#cache.keep(version, name, bytes)
      return bytes
    })
  }

  /** @returns all bytes, or the first `count` */
  async #read(version: string, count?: number): Promise<Buffer | undefined> {
    const size = await this.#backend.sizeOf(version)
    if (size === undefined) return undefined
    if (size > IMAGE_SOURCE_BYTES_MAX)
      throw invalidRequest(`The image has more than ${IMAGE_SOURCE_BYTES_MAX / 1_000_000} MB`)
    if (size === 0) return Buffer.alloc(0)
    const range = count === undefined ? undefined : { from: 0, to: Math.min(count, size) - 1 }
    const bytes = await this.#backend.read(version, range)
    return bytes && collect(bytes)
  }
}

async function collect(bytes: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of bytes as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function targetOf({ format }: Transform, source: ImageFormat, accept = ''): ImageFormat {
  if (format === 'origin') return source
  if (format !== undefined) return format
  return accept.includes('image/webp') ? 'webp' : source
}
