/**
 * A `fetch` that reads what the accounts service answers as a device in the field has to:
 *
 * * What is no answer of it counts as none. It answers in JSON or with nothing (204); a page is that of a hotel's network or of a proxy on the way. auth-js takes such a
 *   page with a status of success for a sign-out that was done, and with any other for the end of the session.
 * * When a token ends follows from how long it lives (`expires_in`), by the clock of the device: auth-js compares with that one. By the server's time a device whose
 *   clock is an hour ahead would ask for another token with each request, until it is refused as too many and the session is over.
 *
 * @param url - the server's address without a slash at its end
 * @returns rejects with `TypeError`, as without a network
 */
export function answersOfAccounts(fetch: typeof globalThis.fetch, url: string): typeof globalThis.fetch {
  const accounts = `${url}/auth/v1/`
  return async (input, init) => {
    const response = await fetch(input, init)
    const address = input instanceof Request ? input.url : String(input)
    if (!address.startsWith(accounts) || response.status === 204) return response
    if (!/\bjson\b/i.test(response.headers.get('content-type') ?? '')) {
      throw new TypeError('The answer did not come from the server.')
    }
    return response.ok ? withoutEnd(response) : response
  }
}

/** A session without the server's time of its end: auth-js counts it from its arrival then. */
async function withoutEnd(response: Response): Promise<Response> {
  const text = await response.text()
  const { status, headers } = response
  const body = parseSession(text)
  if (!body) return new Response(text, { status, headers })
  const { expires_at: _, ...session } = body
  return new Response(JSON.stringify(session), { status, headers })
}

function parseSession(text: string): Record<string, unknown> | undefined {
  try {
    const body = JSON.parse(text) as Record<string, unknown> | null
    return body && 'access_token' in body && typeof body['expires_in'] === 'number' ? body : undefined
  } catch {
    return undefined // half of an answer: for auth-js to say
  }
}
