import { request as requestHttp, type IncomingMessage } from 'node:http'
import { errorMessage } from '@holdfast/foundation'
import { REDIRECTS_MAX, RESPONSE_BYTES_MAX, TIMEOUT_MAX_MS } from './limits.ts'
import { AddressRefused, type AddressPolicy } from './address-policy.ts'

/** One request of the queue. */
export interface WebhookRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, unknown>> | null
  readonly body: Buffer | null
  readonly timeoutMs: number
}

/** Outcome of one attempt. */
export type Outcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly contentType: string | null
      readonly headers: Readonly<Record<string, string>>
      readonly content: string
      /** Whether the body is longer than what was read. */
      readonly isCut: boolean
    }
  | {
      readonly kind: 'failed'
      readonly message: string
      readonly timedOut: boolean
      /** Whether a retry is pointless. */
      readonly isFinal: boolean
    }

/** Sends one request. Never rejects; an abort results in a failure. */
export type Send = (request: WebhookRequest, signal: AbortSignal) => Promise<Outcome>

/** `Via` header that marks requests as sent by a program. Pages reserved for browsers on this machine refuse requests with it. */
const VIA = '1.1 holdfast-webhooks'

/** Headers that callers may not set: those of the connection and those this server trusts from proxies. */
const OWN_HEADERS =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|forwarded|x-forwarded-.*|x-real-ip|via)$/

/** Headers forwarded on a redirect to another host. Excludes credentials for the first host. */
const KEPT_HEADERS = /^(?:accept.*|content-type|user-agent)$/

/** A request that is refused before it is sent. */
class BadRequest extends Error {}

/**
 * Creates a sender that uses a new connection per request, because a receiver closing a kept-alive connection would look like a failure.
 *
 * @param redirectsMax - with 0, a redirect is an answer
 */
export function createSend(addressPolicy: AddressPolicy, redirectsMax = REDIRECTS_MAX): Send {
  return send

  async function send(request: WebhookRequest, stopping: AbortSignal): Promise<Outcome> {
    const timeoutMs = Math.min(Math.max(request.timeoutMs, 1), TIMEOUT_MAX_MS)
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      return await follow(request, AbortSignal.any([timeout, stopping]))
    } catch (error) {
      if (timeout.aborted)
        return { kind: 'failed', message: `Timeout of ${timeoutMs} ms reached`, timedOut: true, isFinal: false }
      const isFinal = error instanceof BadRequest || error instanceof AddressRefused
      return { kind: 'failed', message: describe(error), timedOut: false, isFinal }
    }
  }

  async function follow(request: WebhookRequest, signal: AbortSignal): Promise<Outcome> {
    let url = parseUrl(request.url)
    let method = request.method.toUpperCase()
    let body = request.body ?? undefined
    let headers = headersOf(request.headers)
    for (let redirects = 0; ; redirects++) {
      const response = await once(url, { method, headers, body }, signal)
      const status = response.statusCode ?? 0
      const location = response.headers.location
      if (redirectsMax === 0 || ![301, 302, 303, 307, 308].includes(status) || location === undefined)
        return await read(response)
      response.destroy()
      if (redirects === redirectsMax) throw new BadRequest(`more than ${redirectsMax} redirects`)
      const next = parseUrl(location, url)
      if (next.origin !== url.origin)
        headers = Object.fromEntries(Object.entries(headers).filter(([name]) => KEPT_HEADERS.test(name)))
      // As curl and browsers do.
      if (status === 303 || (method === 'POST' && status < 303)) {
        method = 'GET'
        body = undefined
      }
      url = next
    }
  }

  function once(
    url: URL,
    { method, headers, body }: { method: string; headers: Readonly<Record<string, string>>; body: Buffer | undefined },
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const own = addressPolicy.own(url)
    if (!own) addressPolicy.check(url)
    // Loaded lazily: it is slow to load and not needed at startup.
    const isPlain = own ? !own.tls : url.protocol === 'http:'
    const start = isPlain ? requestHttp : process.getBuiltinModule('node:https').request
    const target = own
      ? { host: own.host, port: own.port, ...own.tls }
      : {
          host: url.hostname.replace(/^\[|\]$/g, ''),
          port: url.port === '' ? undefined : Number(url.port),
        }
    return new Promise((resolve, reject) => {
      const sent = start(
        {
          ...target,
          path: `${url.pathname}${url.search}`,
          method,
          agent: false,
          headers: {
            'user-agent': 'holdfast-webhooks',
            accept: '*/*',
            ...headers,
            host: url.host,
            via: VIA,
            ...(body ? { 'content-length': body.length } : {}),
          },
          ...(url.username === ''
            ? {}
            : { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` }),
          ...(own ? {} : { lookup: addressPolicy.lookupFor(url) }),
          signal,
        },
        resolve,
      )
      sent.on('error', reject)
      sent.end(body)
    })
  }
}

function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new BadRequest('the URL is not one of HTTP')
  return url
}

function headersOf(given: WebhookRequest['headers']): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(given ?? {})) {
    const lower = name.toLowerCase()
    // RFC 9110, section 5: other characters would end the header or start another one.
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower)) throw new BadRequest('the name of a header is invalid')
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) throw new BadRequest(`the value of the header ${lower} is invalid`)
    if (!OWN_HEADERS.test(lower)) headers[lower] = text
  }
  return headers
}

/** Reads the part of the body that is stored. */
async function read(response: IncomingMessage): Promise<Outcome> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, Math.max(0, RESPONSE_BYTES_MAX - size)))
    size += chunk.length
    if (size > RESPONSE_BYTES_MAX) break
  }
  const headers = Object.entries(response.headers).map(([name, value]): [string, string] => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ])
  return {
    kind: 'answered',
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? null,
    headers: Object.fromEntries(headers),
    // Postgres text cannot contain NUL characters.
    content: Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\uFFFD'),
    isCut: size > RESPONSE_BYTES_MAX,
  }
}

/** Describes an error. If all addresses of a name failed, describes the first failure. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return errorMessage(error.errors[0])
  return errorMessage(error)
}
