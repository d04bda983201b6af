import { parseRecord } from '@holdfast/protocol'

/** Timeout in ms for a complete response; responses of the auth service are small. */
const SILENCE_MS = 30_000
/** Sign-out timeout in ms: signing out must not wait for an unresponsive server. */
const LEAVING_MS = 5_000

/**
 * Wraps `fetch` to make responses of the auth service robust in the field:
 *
 * * Responses other than JSON or 204 count as network failures: they come from captive portals or proxies. auth-js would treat a page with status 200 as a
 * completed sign-out, and any other as the end of the session.
 * * Slow responses are aborted. Everything that needs a token waits for a refresh, and a dead connection may stay open for minutes.
 * * A refused refresh ends the session only if the auth service says that the token is invalid. Rate limits do not, and many devices behind one address refresh
 * simultaneously when their network returns; nor do JSON errors of a gateway.
 * * A token's expiry is computed from `expires_in` and the device's clock, with which auth-js compares it. With the server's time, a clock an hour fast would
 * cause a refresh on every request until the rate limit ends the session.
 *
 * * A request that may lack a captcha is handed to `retryRefused`.
 *
 * @param url - server URL without trailing slash
 * @param retryRefused - see {@link retryWithCaptcha}, which is apart so that apps load it when it is needed
 * @returns rejects with `TypeError`, as without a network
 */
export function createAuthFetch(
  fetch: typeof globalThis.fetch,
  url: string,
  retryRefused?: RetryRefused,
): typeof globalThis.fetch {
  const accounts = `${url}/auth/v1/`
  const leaving = `${accounts}logout?scope=local`
  const refreshing = `${accounts}token?grant_type=refresh_token`
  const ask: typeof globalThis.fetch = async (input, init) => {
    const address = addressOf(input)
    const silence = new AbortController()
    const ms = address.startsWith(leaving) ? LEAVING_MS : SILENCE_MS
    const timer = setTimeout(() => silence.abort(new TypeError(`The server has been silent for ${ms / 1_000} s.`)), ms)
    try {
      const given = init?.signal
      const signal = given ? AbortSignal.any([given, silence.signal]) : silence.signal
      const isRefresh = address.startsWith(refreshing)
      return await wholeAnswer(await fetch(input, { ...init, signal }), isRefresh)
    } finally {
      clearTimeout(timer)
    }
  }
  return async (input, init) => {
    if (!addressOf(input).startsWith(accounts)) return fetch(input, init)
    const response = await ask(input, init)
    const sent = init?.body
    if (response.status !== 400 || !retryRefused || typeof sent !== 'string') return response
    return retryRefused(response, sent, (body) => ask(input, { ...init, body }))
  }
}

/**
 * Handles a request of accounts that was refused with 400, and returns the response to use.
 *
 * @param body - JSON, as it was sent
 * @param send - sends the request with another body
 */
export type RetryRefused = (
  response: Response,
  body: string,
  send: (body: string) => Promise<Response>,
) => Promise<Response>

function addressOf(input: Parameters<typeof globalThis.fetch>[0]): string {
  return input instanceof Request ? input.url : String(input)
}

async function wholeAnswer(response: Response, isRefresh: boolean): Promise<Response> {
  const { status, headers, ok } = response
  if (status === 204) return response
  if (!/\bjson\b/i.test(headers.get('content-type') ?? '')) {
    throw new TypeError('The response did not come from the server.')
  }
  const text = await response.text()
  if (isRefresh && !ok && !isRefusal(status, text)) throw new TypeError('The token cannot be refreshed now.')
  return new Response(ok ? withoutEnd(text) : text, { status, headers })
}

/** Error fields of the current API, the earlier one, and OAuth. */
const ERROR_NAMES = ['code', 'error_code', 'error'] as const

/** Whether a response says that a refresh token is invalid. */
function isRefusal(status: number, text: string): boolean {
  if (status === 429) return false
  const body = parseRecord(text)
  return body !== undefined && ERROR_NAMES.some((name) => typeof body[name] === 'string')
}

/** Removes the server's expiry time, so that auth-js computes it on arrival. */
function withoutEnd(text: string): string {
  const body = parseRecord(text)
  // Half of an answer is for auth-js to refuse.
  if (!body || !('access_token' in body) || typeof body['expires_in'] !== 'number') return text
  const { expires_at: _, ...session } = body
  return JSON.stringify(session)
}
