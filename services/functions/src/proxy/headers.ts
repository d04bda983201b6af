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
  const named = new Set<string>()
  for (const [name, value] of pairs(raw)) {
    if (name.toLowerCase() === 'connection') for (const one of value.split(',')) named.add(one.trim().toLowerCase())
  }
  return [...pairs(raw)]
    .filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()) && !named.has(name.toLowerCase()))
    .flat()
}

export interface Forwarded {
  readonly for: string
  readonly proto: string
  readonly host: string
  readonly requestId: string
}

/** What a function gets of a request's headers, beside those that say how the body comes. */
export function requestHeaders(raw: RawHeaders, forwarded: Forwarded): string[] {
  return [
    ...[...pairs(endToEnd(raw))].filter(([name]) => !OURS.has(name.toLowerCase())).flat(),
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

function* pairs(raw: RawHeaders): Generator<[string, string]> {
  for (let index = 0; index + 1 < raw.length; index += 2) yield [raw[index] ?? '', raw[index + 1] ?? '']
}
