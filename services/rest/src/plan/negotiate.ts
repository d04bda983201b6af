import type { RestCatalog, RestMediaHandler } from '../catalog/catalog.ts'
import { mediaTypeUnavailable } from '../errors.ts'
import type { MediaType, SelectItem } from '../request/api-request.ts'
import { namedMediaType, renderMediaType } from '../request/media-type.ts'
import type { Answer, BodyShape } from './plan.ts'

export interface NegotiateInput {
  readonly accept: readonly MediaType[]
  readonly catalog: RestCatalog
  /** Target of the request: a relation, or a function that returns no rows of one. `undefined` if only handlers for any target apply. */
  readonly target: RestMediaHandler['target'] | undefined
  readonly select: readonly SelectItem[]
  /** Schemas whose handlers for any target apply. */
  readonly schemas: readonly string[]
  readonly plansAllowed: boolean
}

/**
 * Chooses the first acceptable type that can be produced. A handler for the target precedes one for any target, and both precede the
 * built-in ones. The vendor types cannot be overridden.
 *
 * @throws PGRST107 if no acceptable type can be produced
 * @see PostgREST reference, "Media Type Handlers"
 */
export function negotiate(input: NegotiateInput): Answer {
  for (const type of input.accept) {
    const answer = type.kind === 'plan' ? answerWithPlan(input, type) : answerWith(input, type)
    if (answer) return answer
  }
  throw mediaTypeUnavailable(input.accept.map(renderMediaType))
}

function answerWithPlan(
  input: NegotiateInput,
  type: Extract<MediaType, { readonly kind: 'plan' }>,
): Answer | undefined {
  if (!input.plansAllowed || type.of.kind === 'plan') return undefined
  const { format, options } = type
  const answer = answerWith(input, type.of)
  return answer && { type, body: answer.body, explain: { format, options } }
}

function answerWith(input: NegotiateInput, type: MediaType): Answer | undefined {
  switch (type.kind) {
    case 'plan':
      return undefined
    case 'object':
      return { type, body: { kind: 'object', stripped: type.stripped }, explain: undefined }
    case 'array-stripped':
      return { type, body: { kind: 'json', stripped: true }, explain: undefined }
    case 'named': {
      const handler = findHandler(input, type.name)
      if (handler) return answerWithHandler(handler)
      const body = builtIn(input.catalog, type.name)
      if (!body) return undefined
      return { type: type.name === '*/*' ? namedMediaType('application/json') : type, body, explain: undefined }
    }
  }
}

function findHandler(input: NegotiateInput, mediaType: string): RestMediaHandler | undefined {
  const { catalog, target, select, schemas } = input
  const isWhole = select.length === 1 && select[0]?.kind === 'star'
  if (target && isWhole) {
    const own = catalog.mediaHandlers(target)
    const found = own.find((handler) => handler.mediaType === '*/*') ?? own.find((item) => item.mediaType === mediaType)
    if (found) return found
  }
  return catalog
    .mediaHandlers({ kind: 'any', schema: '', name: '' })
    .find((handler) => handler.mediaType === mediaType && schemas.includes(handler.schema))
}

function answerWithHandler({ schema, name, mediaType, binary, target }: RestMediaHandler): Answer {
  const type = namedMediaType(mediaType === '*/*' ? 'application/octet-stream' : mediaType)
  const row = target.kind === 'relation' ? { schema: target.schema, name: target.name } : undefined
  return {
    type,
    body:
      target.kind === 'routine'
        ? { kind: 'raw', binary }
        : { kind: 'handler', function: { schema, name }, row, binary },
    explain: undefined,
  }
}

function builtIn(catalog: RestCatalog, mediaType: string): BodyShape | undefined {
  switch (mediaType) {
    case '*/*':
    case 'application/json':
      return { kind: 'json', stripped: false }
    case 'text/csv':
      return { kind: 'csv' }
    case 'application/geo+json':
      return catalog.geoJsonFunction && { kind: 'geojson', function: catalog.geoJsonFunction }
    default:
      return undefined
  }
}
