import type { MediaType, PlanOption } from './api-request.ts'

const PLAN_OPTIONS: readonly PlanOption[] = ['analyze', 'verbose', 'settings', 'buffers', 'wal']

/** Types whose content type declares UTF-8. The charset of others is unknown. */
const TEXTUAL: ReadonlySet<string> = new Set([
  'application/json',
  'application/geo+json',
  'application/openapi+json',
  'application/x-www-form-urlencoded',
  'text/csv',
  'text/plain',
  'text/xml',
  '*/*',
])

/** Creates a media type from its name. */
export function namedMediaType(name: string): MediaType {
  return { kind: 'named', name, text: name }
}

/** Renders the `Content-Type` of a response. */
export function renderContentType(type: MediaType): string {
  const name = renderMediaType(type)
  return type.kind === 'named' && !TEXTUAL.has(type.name) ? name : `${name}; charset=utf-8`
}

/** Formats a media type for refusals and content types. */
export function renderMediaType(type: MediaType): string {
  switch (type.kind) {
    case 'named':
      return type.text
    case 'array-stripped':
      return 'application/vnd.pgrst.array+json;nulls=stripped'
    case 'object':
      return `application/vnd.pgrst.object+json${type.stripped ? ';nulls=stripped' : ''}`
    case 'plan': {
      const options = type.options.length === 0 ? '' : `; options=${type.options.join('|')}`
      return `application/vnd.pgrst.plan+${type.format}; for="${renderMediaType(type.of)}"${options}`
    }
  }
}

/**
 * Parses the Accept header, best first: by `q`, specificity, then order. `q=0` refuses a type.
 *
 * @returns anything (`*` + `/*`) without a header
 */
export function parseAccept(header: string | undefined): readonly MediaType[] {
  if (header === undefined || header.trim() === '') return [namedMediaType('*/*')]
  return header
    .split(',')
    .map((text) => tokenize(text))
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality || b.specificity - a.specificity)
    .map(toMediaType)
}

/** Parses a media type, such as a `Content-Type`. */
export function parseMediaType(text: string): MediaType {
  return toMediaType(tokenize(text))
}

interface Tokens {
  /** Lowercase without parameters: `application/json`. */
  readonly name: string
  /** As written, without `q` and spaces. */
  readonly text: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
  readonly specificity: number
}

function tokenize(range: string): Tokens {
  const parts = range.match(/(?:[^;"]|"[^"]*"?)+/g) ?? ['']
  const [first = '', ...rest] = parts.map((part) => part.trim())
  const parameters = new Map<string, string>()
  const kept = [first]
  let quality = 1
  for (const part of rest) {
    const equals = part.indexOf('=')
    const key = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase()
    const value = equals < 0 ? '' : part.slice(equals + 1).trim()
    if (key === 'q') {
      const given = Number.parseFloat(value)
      quality = Number.isNaN(given) ? 1 : given
      continue
    }
    kept.push(part)
    if (!parameters.has(key)) parameters.set(key, value.replaceAll(/^"|"$/g, ''))
  }
  const text = kept.filter((part) => part !== '').join(';')
  const stars = text.split('*').length - 1
  return { name: first.toLowerCase(), text, parameters, quality, specificity: kept.length - 1 - stars }
}

function toMediaType(tokens: Tokens): MediaType {
  const { name, text, parameters } = tokens
  const stripped = parameters.get('nulls') === 'stripped'
  switch (name) {
    case 'application/*':
      return namedMediaType('application/json')
    case 'application/vnd.pgrst.object':
    case 'application/vnd.pgrst.object+json':
      return { kind: 'object', stripped }
    case 'application/vnd.pgrst.array':
    case 'application/vnd.pgrst.array+json':
      return stripped ? { kind: 'array-stripped' } : namedMediaType('application/json')
    case 'application/vnd.pgrst.plan':
    case 'application/vnd.pgrst.plan+text':
      return toPlan(parameters, 'text')
    case 'application/vnd.pgrst.plan+json':
      return toPlan(parameters, 'json')
    default:
      return TEXTUAL.has(name) || name === 'application/octet-stream'
        ? namedMediaType(name)
        : { kind: 'named', name, text }
  }
}

function toPlan(parameters: ReadonlyMap<string, string>, format: 'json' | 'text'): MediaType {
  const given = (parameters.get('options') ?? '').split('|')
  return {
    kind: 'plan',
    format,
    of: parseMediaType(parameters.get('for') ?? 'application/json'),
    options: PLAN_OPTIONS.filter((option) => given.includes(option)),
  }
}
