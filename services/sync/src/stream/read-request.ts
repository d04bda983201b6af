import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { SyncRequest } from '@holdfast/protocol'
import { BSON_STREAM, NDJSON_STREAM, type LineFormat } from '../encode/lines.ts'
import { invalidRequest } from '../errors.ts'
import { SUBSCRIPTIONS_MAX } from '../limits.ts'

const Parameters = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])

const requestShape = Compile(
  Type.Object({
    buckets: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), after: Type.String({ pattern: '^[0-9]{1,19}$' }) })),
    ),
    include_checksum: Type.Optional(Type.Boolean()),
    raw_data: Type.Optional(Type.Boolean()),
    binary_data: Type.Optional(Type.Boolean()),
    client_id: Type.Optional(Type.String({ maxLength: 200 })),
    parameters: Type.Optional(Parameters),
    streams: Type.Optional(
      Type.Object({
        include_defaults: Type.Optional(Type.Boolean()),
        subscriptions: Type.Array(
          Type.Object({
            stream: Type.String(),
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
  if (requestShape.Check(body)) return body
  throw invalidRequest(requestShape.Errors(body).map((error) => `${error.instancePath || '/'} ${error.message}`))
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

/** BSON when the client prefers it, NDJSON in every other case, as the PowerSync service negotiates. */
export function chooseFormat(accept: string | undefined, request: SyncRequest): LineFormat {
  const list = offers(accept ?? '')
  const qualityOf = (name: string): number => list.find((offer) => offer.type === name)?.quality ?? -1
  const ndjson = Math.max(qualityOf(NDJSON_STREAM), qualityOf('application/*'), qualityOf('*/*'))
  const bson = qualityOf(BSON_STREAM)
  if (bson > 0 && bson > ndjson) return { kind: 'bson' }
  return { kind: 'ndjson', nestedData: request.raw_data !== true }
}

/** Whether `accept-encoding` has gzip, or anything, at a quality above 0. Everything that reads streams does; zstd and br would each need a state. */
export function acceptsGzip(accept: string | undefined): boolean {
  const list = offers(accept ?? '')
  const gzip = list.find((offer) => offer.type === 'gzip') ?? list.find((offer) => offer.type === '*')
  return (gzip?.quality ?? 0) > 0
}
