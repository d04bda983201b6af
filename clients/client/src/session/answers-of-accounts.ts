/**
 * A `fetch` for which what is no answer of the accounts service counts as none. The service answers in JSON or with nothing (204); a page is that of a hotel's network
 * or of a proxy on the way. auth-js takes such a page with a status of success for a sign-out that was done, and with any other for the end of the session.
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
    if (/\bjson\b/i.test(response.headers.get('content-type') ?? '')) return response
    throw new TypeError('The answer did not come from the server.')
  }
}
