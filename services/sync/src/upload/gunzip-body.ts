import { Transform, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyRequest, RequestPayload } from 'fastify'
import { growBody } from '@holdfast/http'
import { malformedUpload, unknownEncoding } from './errors.ts'

/**
 * Unpacks the body of an upload that came with `content-encoding: gzip`. What it becomes is counted as it comes: in the memory of bodies, and by Fastify, which
 * refuses more than the route takes.
 *
 * @throws {HoldfastError} `PSYNC_S2001` with 415 for another encoding; the body fails with 400 when it is no gzip
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
  // Fastify compares this with the length that the request gave.
  Object.defineProperty(unpacked, 'receivedEncodedLength', { get: () => gunzip.bytesWritten })
  gunzip.once('error', () => unpacked.destroy(malformedUpload('The body is not what gzip makes.')))
  unpacked.once('close', () => gunzip.destroy())
  endWith(payload, unpacked)
  payload.pipe(gunzip).pipe(unpacked)
  return unpacked
}

/** A body that fails, or ends early, on its way here fails there as well. */
function endWith(source: Readable, target: Transform): void {
  source.once('error', (error) => target.destroy(error))
  source.once('close', () => {
    if (!source.readableEnded) target.destroy()
  })
}

/** Whether the length that a request gives is one before it is unpacked. */
export function isPacked(request: FastifyRequest): boolean {
  return request.headers['content-encoding']?.trim().toLowerCase() === 'gzip'
}
