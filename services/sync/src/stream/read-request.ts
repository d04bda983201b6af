import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { SyncRequest } from '@holdfast/protocol'
import { BSON_STREAM, NDJSON_STREAM, type LineFormat } from '../encode/lines.ts'
import { invalidRequest } from '../errors.ts'
import {
  BUCKET_NAME_LENGTH_MAX,
  CHECKPOINT_REQUEST_MAX,
  CLIENT_ID_LENGTH_MAX,
  REQUEST_BUCKETS_MAX,
  STREAM_NAME_LENGTH_MAX,
  SUBSCRIPTIONS_MAX,
} from '../limits.ts'

const Parameters = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])

const requestShape = Compile(
  Type.Object({
    buckets: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ maxLength: BUCKET_NAME_LENGTH_MAX }),
          after: Type.String({ pattern: '^[0-9]{1,19}$' }),
        }),
      ),
    ),
    include_checksum: Type.Optional(Type.Boolean()),
    raw_data: Type.Optional(Type.Boolean()),
    binary_data: Type.Optional(Type.Boolean()),
    client_id: Type.Optional(Type.String({ maxLength: CLIENT_ID_LENGTH_MAX })),
    parameters: Type.Optional(Parameters),
    streams: Type.Optional(
      Type.Object({
        include_defaults: Type.Optional(Type.Boolean()),
        subscriptions: Type.Array(
          Type.Object({
            stream: Type.String({ maxLength: STREAM_NAME_LENGTH_MAX }),
            parameters: Parameters,
            override_priority: Type.Union([Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }), Type.Null()]),
          }),
          { maxItems: SUBSCRIPTIONS_MAX },
        ),
      }),
    ),
    app_metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
)

/**
 * Checks the body of `POST /sync/stream`. Unknown keys are allowed.
 *
 * @throws {HoldfastError} `PSYNC_S2001` 400 with one message per mistake
 */
export function readSyncRequest(body: unknown): SyncRequest {
  refuseManyBuckets(body)
  if (requestShape.Check(body)) {
    if (hasNul(body)) throw invalidRequest([NUL_REFUSED])
    return body
  }
  throw invalidRequest(requestShape.Errors(body).map((error) => `${error.instancePath || '/'} ${error.message}`))
}

/** Checked before the schema, whose validation would take longest for such requests. */
function refuseManyBuckets(body: unknown): void {
  const { buckets } = (body ?? {}) as { readonly buckets?: unknown }
  if (Array.isArray(buckets) && buckets.length > REQUEST_BUCKETS_MAX)
    throw invalidRequest([`/buckets has ${buckets.length} items, more than ${REQUEST_BUCKETS_MAX}`])
}

const NUL_REFUSED = 'a text has a NUL character, which Postgres has not'

/** Whether any text in a decoded JSON value, including names, contains a NUL. */
function hasNul(body: unknown): boolean {
  const left: unknown[] = [body]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'string') {
      if (value.includes('\0')) return true
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if (name.includes('\0')) return true
        left.push(inner)
      }
    }
  }
  return false
}

/** Checks the query parameter `client_id`. @returns an empty text if absent @throws {HoldfastError} `PSYNC_S2001` 400 */
export function readClientId(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') throw invalidRequest(['client_id is given more than once'])
  if (value.length > CLIENT_ID_LENGTH_MAX) {
    throw invalidRequest([`client_id has more than ${CLIENT_ID_LENGTH_MAX} characters`])
  }
  if (value.includes('\0')) throw invalidRequest([NUL_REFUSED])
  return value
}

const checkpointRequestShape = Compile(
  Type.Object({
    client_id: Type.Optional(Type.String({ maxLength: CLIENT_ID_LENGTH_MAX })),
    checkpoint_request_id: Type.Union([
      Type.String({ pattern: '^[0-9]{1,19}$' }),
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    ]),
  }),
)

/**
 * Checks the body of `POST /sync/checkpoint-request`.
 *
 * @returns the device, and the number that it gives its write checkpoint
 * @throws {HoldfastError} `PSYNC_S2001` 400
 */
export function readCheckpointRequest(body: unknown): { readonly clientId: string; readonly number: bigint } {
  if (!checkpointRequestShape.Check(body)) {
    const errors = checkpointRequestShape.Errors(body)
    throw invalidRequest(errors.map((error) => `${error.instancePath || '/'} ${error.message}`))
  }
  const number = BigInt(body.checkpoint_request_id)
  if (number < 1n || number > CHECKPOINT_REQUEST_MAX)
    throw invalidRequest([`/checkpoint_request_id must be between 1 and ${CHECKPOINT_REQUEST_MAX}`])
  return { clientId: readClientId(body.client_id), number }
}

interface Offer {
  readonly type: string
  readonly quality: number
}

function offers(accept: string): Offer[] {
  return accept.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }
  })
}

/** Chooses BSON if the client prefers it, otherwise NDJSON, like the PowerSync service. */
export function chooseFormat(accept: string | undefined, request: SyncRequest): LineFormat {
  const list = offers(accept ?? '')
  const qualityOf = (name: string): number => list.find((offer) => offer.type === name)?.quality ?? -1
  const ndjson = Math.max(qualityOf(NDJSON_STREAM), qualityOf('application/*'), qualityOf('*/*'))
  const bson = qualityOf(BSON_STREAM)
  if (bson > 0 && bson > ndjson) return { kind: 'bson' }
  return { kind: 'ndjson', nestedData: request.raw_data !== true }
}

/** Whether `accept-encoding` allows gzip. Every stream client supports it; zstd and br would each need state per device. */
export function acceptsGzip(accept: string | undefined): boolean {
  const list = offers(accept ?? '')
  const gzip = list.find((offer) => offer.type === 'gzip') ?? list.find((offer) => offer.type === '*')
  return (gzip?.quality ?? 0) > 0
}
