import { mediaTypeUnavailable } from '../errors.ts'
import type { MediaType } from './api-request.ts'

const MIME: Readonly<Record<MediaType, string>> = {
  json: 'application/json; charset=utf-8',
  'json-stripped': 'application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8',
  object: 'application/vnd.pgrst.object+json; charset=utf-8',
  'object-stripped': 'application/vnd.pgrst.object+json;nulls=stripped; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
}

/** The `Content-Type` of an answer. */
export function renderMediaType(type: MediaType): string {
  return MIME[type]
}

/**
 * Chooses what to answer with: the first acceptable type in order of preference.
 *
 * @throws PGRST107 when nothing in the header can be produced
 */
export function parseAccept(header: string | undefined): MediaType {
  if (header === undefined || header.trim() === '') return 'json'
  const ranges = header
    .split(',')
    .map((text) => parseMediaRange(text))
    .filter((range) => range.quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
  for (const range of ranges) {
    const type = resolve(range)
    if (type !== undefined) return type
  }
  throw mediaTypeUnavailable(header.split(',').map((text) => text.trim()))
}

interface MediaRange {
  readonly name: string
  readonly stripped: boolean
  readonly quality: number
}

/** The name in lower case without parameters: `application/json`. */
export function mediaTypeName(header: string): string {
  return (header.split(';')[0] ?? '').trim().toLowerCase()
}

function parseMediaRange(text: string): MediaRange {
  const [, ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
  return {
    name: mediaTypeName(text),
    stripped: parameters.includes('nulls=stripped'),
    quality: Number.isNaN(quality) ? 1 : quality,
  }
}

function resolve({ name, stripped }: MediaRange): MediaType | undefined {
  switch (name) {
    case '*/*':
    case 'application/*':
    case 'application/json':
      return 'json'
    case 'application/vnd.pgrst.array+json':
    case 'application/vnd.pgrst.array':
      return stripped ? 'json-stripped' : 'json'
    case 'application/vnd.pgrst.object+json':
    case 'application/vnd.pgrst.object':
      return stripped ? 'object-stripped' : 'object'
    case 'text/csv':
      return 'csv'
    default:
      return undefined
  }
}
