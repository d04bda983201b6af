/** Response timeout in ms. */
const ANSWER_TIMEOUT_MS = 10_000

/**
 * Fetches the server's key for a lock of the signed-in user.
 *
 * @returns 32 bytes in base64
 * @throws if the server is unreachable or refuses
 */
export async function fetchLockKey(
  { url, anonKey, token, lockId }: Readonly<Record<'url' | 'anonKey' | 'token' | 'lockId', string>>,
  fetch: typeof globalThis.fetch,
): Promise<string> {
  const response = await fetch(`${url}/rest/v1/rpc/lock_key`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-profile': 'holdfast',
      apikey: anonKey,
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ lock: lockId }),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  })
  if (!response.ok) throw new Error(`The server did not hand out the key of this device: status ${response.status}.`)
  const key: unknown = await response.json()
  if (typeof key !== 'string') throw new Error('The server handed out no key for this device.')
  return key
}
