import type { IncomingHttpHeaders } from 'node:http'
import { Transform, type Readable, type TransformCallback } from 'node:stream'
import { entityTooLarge, invalidRequest } from '../errors.ts'
import { readForm } from './upload-form.ts'
import { parseMetadataHeader, type UserMetadata } from './user-metadata.ts'

const RULE =
  /^(?:[\w-]+:\s*)?(?:all|noindex|nofollow|none|nosnippet|indexifembedded|notranslate|noimageindex|max-snippet:\s*-?\d+|max-video-preview:\s*-?\d+|max-image-preview:\s*(?:none|standard|large))$/
const UNTIL = /^unavailable_after:\s*[\w\s:,+.-]+$/

/** An incoming file: declared metadata and unread bytes. */
export interface IncomingFile {
  readonly bytes: Readable
  readonly mimeType: string
  readonly cacheControl: string
  readonly userMetadata: UserMetadata | undefined
  readonly robotsTag: string | undefined
  /** Declared body length. For forms it exceeds the file. */
  readonly declaredLength: number | undefined
  /** Whether `declaredLength` is the length of the file. */
  readonly isLengthExact: boolean
  /** Resolves once the whole request has arrived; rejects if it ended early. Await before committing the file. */
  readonly complete: () => Promise<void>
}

/** Reads everything before the bytes of an upload. @throws {HoldfastError} `InvalidRequest`, `EntityTooLarge` */
export async function readIncomingFile(headers: IncomingHttpHeaders, body: unknown): Promise<IncomingFile> {
  const robotsTag = headers['x-robots-tag']
  if (typeof robotsTag === 'string') requireRobotsTag(robotsTag)
  const shared = {
    robotsTag: typeof robotsTag === 'string' ? robotsTag : undefined,
    declaredLength: lengthOf(headers),
  }
  const stream = isReadable(body) ? body : undefined
  const type = headers['content-type']
  if (type?.toLowerCase().startsWith('multipart/form-data')) {
    if (!stream) throw invalidRequest('No content provided')
    return { ...shared, ...(await readForm(headers, stream)), isLengthExact: false }
  }
  return {
    ...shared,
    bytes: stream ?? emptyBytes(),
    mimeType: type === undefined || type === '' ? 'application/octet-stream' : type,
    cacheControl: headers['cache-control'] ?? 'no-cache',
    userMetadata: parseMetadataHeader(headers['x-metadata']),
    isLengthExact: true,
    complete: async () => undefined,
  }
}

/** Passes bytes through; fails beyond the limit. */
export class SizeLimit extends Transform {
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax: number) {
    super()
    this.#bytesMax = bytesMax
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#bytesMax) done(entityTooLarge())
    else done(null, chunk)
  }
}

function lengthOf(headers: IncomingHttpHeaders): number | undefined {
  const length = Number(headers['content-length'])
  return headers['content-length'] !== undefined && Number.isSafeInteger(length) && length >= 0 ? length : undefined
}

function isReadable(body: unknown): body is Readable {
  return typeof body === 'object' && body !== null && 'pipe' in body
}

function emptyBytes(): Readable {
  const empty = new Transform()
  empty.end()
  return empty
}

/** Validates an `X-Robots-Tag` value. @throws {HoldfastError} `InvalidRequest` */
function requireRobotsTag(text: string): void {
  const isKnown = text.split(/,(?![^:]*\d{4})/).every((rule) => RULE.test(rule.trim()) || UNTIL.test(rule.trim()))
  if (!isKnown) throw invalidRequest(`Invalid X-Robots-Tag header: ${text.slice(0, 100)}`)
}
