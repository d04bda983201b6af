import { isRecord, parseRecord } from '@holdfast/protocol'

/**
 * Wraps `fetch` to learn which passwords the auth service accepts: at sign-in, sign-up and when a password is changed.
 *
 * @param url - server URL without trailing slash
 * @param onPassword - must not throw
 */
export function watchPasswords(
  fetch: typeof globalThis.fetch,
  url: string,
  onPassword: (userId: string, password: string) => void,
): typeof globalThis.fetch {
  const accounts = `${url}/auth/v1/`
  return async (input, init) => {
    const response = await fetch(input, init)
    const address = input instanceof Request ? input.url : String(input)
    if (!response.ok || !isWithPassword(address, accounts) || typeof init?.body !== 'string') return response
    const password = parseRecord(init.body)?.['password']
    if (typeof password !== 'string' || password === '') return response
    const answer: unknown = await response
      .clone()
      .json()
      .catch(() => undefined)
    const user = isRecord(answer) ? (answer['user'] ?? answer) : undefined
    const id = isRecord(user) ? user['id'] : undefined
    if (typeof id === 'string') onPassword(id, password)
    return response
  }
}

function isWithPassword(address: string, accounts: string): boolean {
  return ['token?grant_type=password', 'signup', 'user'].some((path) => {
    const start = `${accounts}${path}`
    return address === start || address.startsWith(`${start}${path.includes('?') ? '&' : '?'}`)
  })
}
