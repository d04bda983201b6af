import { Transform, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyRequest, RequestPayload } from 'fastify'
import { growBody } from '@holdfast/http'
import { malformedUpload, unknownEncoding } from './errors.ts'

/**
 * Decompresses an upload body with `content-encoding: gzip`. The decompressed bytes count toward body memory and the route's body limit.
 *
 * @throws {HoldfastError} `PSYNC_S2001` with 415 for another encoding; invalid gzip fails the body with 400
 */
export function gunzipBody(request: FastifyRequest, payload: RequestPayload): RequestPayload {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return payload
  if (encoding !== 'gzip') throw unknownEncoding(encoding)
  const gunzip = createGunzip()
  const unpacked = new Transform({
    transform(chunk: Buffer, _, done) {
      try {
        growBody(request, chunk.length)
        done(null, chunk)
      } catch (error) {
        done(error as Error)
      }
    },
  })
  // Fastify compares this with `content-length`.
  Object.defineProperty(unpacked, 'receivedEncodedLength', { get: () => gunzip.bytesWritten })
  gunzip.once('error', () => unpacked.destroy(malformedUpload('The body is not what gzip makes.')))
  unpacked.once('close', () => gunzip.destroy())
  endWith(payload, unpacked)
  payload.pipe(gunzip).pipe(unpacked)
  return unpacked
}

/** Passes errors and a premature end of the source on to the target. */
function endWith(source: Readable, target: Transform): void {
  source.once('error', (error) => target.destroy(error))
  source.once('close', () => {
    if (!source.readableEnded) target.destroy()
  })
}

/** Whether `content-length` refers to a compressed body. */
export function isPacked(request: FastifyRequest): boolean {
  return request.headers['content-encoding']?.trim().toLowerCase() === 'gzip'
}
