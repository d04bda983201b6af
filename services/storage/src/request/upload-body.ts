import type { IncomingHttpHeaders } from 'node:http'
import { Transform, type Readable, type TransformCallback } from 'node:stream'
import { entityTooLarge, invalidRequest } from '../errors.ts'
import { requireRobotsTag } from './robots-tag.ts'
import { readForm } from './upload-form.ts'
import { parseMetadataHeader, type UserMetadata } from './user-metadata.ts'

/** A file on its way in: its declared metadata, and its bytes, which are not read yet. */
export interface IncomingFile {
  readonly bytes: Readable
  readonly mimeType: string
  readonly cacheControl: string
  readonly userMetadata: UserMetadata | undefined
  readonly robotsTag: string | undefined
  /** What the client says the body has. Of a form it is more than the file. */
  readonly declaredLength: number | undefined
  /** Whether `declaredLength` is that of the file. */
  readonly isLengthExact: boolean
  /** Resolves when all of the request has come, and rejects when it ended early. To be awaited before the file counts. */
  readonly complete: () => Promise<void>
}

/** Reads what comes before the bytes of an upload. @throws {HoldfastError} `InvalidRequest`, `EntityTooLarge` */
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

/** Passes bytes on until there are more than allowed. */
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
