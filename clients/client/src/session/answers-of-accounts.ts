/** Answers about accounts are small: one that has not come whole after so long is not coming, in milliseconds. */
const SILENCE_MS = 30_000
/** Who signs out on this device is gone from it at once, and does not wait for a server that may not answer. Milliseconds. */
const LEAVING_MS = 5_000

/**
 * A `fetch` that reads what the accounts service answers as a device in the field has to:
 *
 * * What is no answer of it counts as none. It answers in JSON or with nothing (204); a page is that of a hotel's network or of a proxy on the way. auth-js takes such a
 *   page with a status of success for a sign-out that was done, and with any other for the end of the session.
 * * An answer that does not come is given up. All that needs a token waits for one that is being refreshed, and a connection that passes nothing may stay open for
 *   many minutes.
 * * A refusal to refresh ends the session only when the accounts service says why the token is no longer good. Having asked too often says nothing about it, and many
 *   devices behind one address ask at the same moment when their network is back; nor does an answer of a gateway that speaks JSON.
 * * When a token ends follows from how long it lives (`expires_in`), by the clock of the device: auth-js compares with that one. By the server's time a device whose
 *   clock is an hour ahead would ask for another token with each request, until it is refused as too many and the session is over.
 *
 * @param url - the server's address without a slash at its end
 * @returns rejects with `TypeError`, as without a network
 */
export function answersOfAccounts(fetch: typeof globalThis.fetch, url: string): typeof globalThis.fetch {
  const accounts = `${url}/auth/v1/`
  const leaving = `${accounts}logout?scope=local`
  const refreshing = `${accounts}token?grant_type=refresh_token`
  return async (input, init) => {
    const address = input instanceof Request ? input.url : String(input)
    if (!address.startsWith(accounts)) return fetch(input, init)
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
}

async function wholeAnswer(response: Response, isRefresh: boolean): Promise<Response> {
  const { status, headers, ok } = response
  if (status === 204) return response
  if (!/\bjson\b/i.test(headers.get('content-type') ?? '')) {
    throw new TypeError('The answer did not come from the server.')
  }
  const text = await response.text()
  if (isRefresh && !ok && !isRefusal(status, text)) throw new TypeError('The token cannot be refreshed now.')
  return new Response(ok ? withoutEnd(text) : text, { status, headers })
}

/** Where the service names an error: by its API of today, by the earlier one, and as OAuth has it. */
const ERROR_NAMES = ['code', 'error_code', 'error'] as const

/** Whether an answer says that a refresh token is no longer good. */
function isRefusal(status: number, text: string): boolean {
  if (status === 429) return false
  try {
    const body = JSON.parse(text) as Record<string, unknown> | null
    return body !== null && ERROR_NAMES.some((name) => typeof body[name] === 'string')
  } catch {
    return false // half of an answer
  }
}

/** A session without the server's time of its end: auth-js counts it from its arrival then. */
function withoutEnd(text: string): string {
  try {
    const body = JSON.parse(text) as Record<string, unknown> | null
    if (!body || !('access_token' in body) || typeof body['expires_in'] !== 'number') return text
    const { expires_at: _, ...session } = body
    return JSON.stringify(session)
  } catch {
    return text // half of an answer: for auth-js to say
  }
}
