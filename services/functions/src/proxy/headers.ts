/** Hop-by-hop headers, which are not forwarded. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
])

/** Always set by the gateway, overriding the client. */
const OURS = new Set(['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'sb-request-id'])

/** Alternating names and values in original case; names may repeat. */
export type RawHeaders = readonly string[]

/** Removes hop-by-hop headers, including those named by `Connection`. */
export function endToEnd(raw: RawHeaders): string[] {
  return without(raw, undefined)
}

function without(raw: RawHeaders, others: ReadonlySet<string> | undefined): string[] {
  const named = namedByConnection(raw)
  const kept: string[] = []
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? ''
    const lower = name.toLowerCase()
    if (HOP_BY_HOP.has(lower) || named?.has(lower) || others?.has(lower)) continue
    kept.push(name, raw[index + 1] ?? '')
  }
  return kept
}

function namedByConnection(raw: RawHeaders): ReadonlySet<string> | undefined {
  let named: Set<string> | undefined
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (raw[index]?.length !== CONNECTION.length || raw[index]?.toLowerCase() !== CONNECTION) continue
    named ??= new Set()
    for (const one of (raw[index + 1] ?? '').split(',')) named.add(one.trim().toLowerCase())
  }
  return named
}

const CONNECTION = 'connection'

export interface Forwarded {
  readonly for: string
  readonly proto: string
  readonly host: string
  readonly requestId: string
}

/** Request headers for the function, except those describing the body. */
export function requestHeaders(raw: RawHeaders, forwarded: Forwarded): string[] {
  return [
    ...without(raw, OURS),
    'x-forwarded-for',
    forwarded.for,
    'x-forwarded-proto',
    forwarded.proto,
    'x-forwarded-host',
    forwarded.host,
    'sb-request-id',
    forwarded.requestId,
  ]
}

/** Response headers for the client. Adds no default content type, because the client relies on the function's. */
export function responseHeaders(raw: RawHeaders, requestId: string): string[] {
  return [...endToEnd(raw), 'x-served-by', 'holdfast-functions', 'sb-request-id', requestId, 'x-request-id', requestId]
}
