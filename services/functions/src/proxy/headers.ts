/** Headers of one connection, which are not passed on. */
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

/** Set by the gateway, whatever a client says. */
const OURS = new Set(['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'sb-request-id'])

/** Names and values in turns, as they came: names keep their case, and one may come more than once. */
export type RawHeaders = readonly string[]

/** Headers without those of the connection, and without those that `Connection` names. */
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

/** What a function gets of a request's headers, beside those that say how the body comes. */
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

/** What a client gets of an answer's headers. No type of content is added: the client goes by the function's own. */
export function responseHeaders(raw: RawHeaders, requestId: string): string[] {
  return [...endToEnd(raw), 'x-served-by', 'holdfast-functions', 'sb-request-id', requestId, 'x-request-id', requestId]
}
