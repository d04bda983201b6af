import type { Backend } from '../data/backend.ts'

/** How long a call may take, in milliseconds. */
const REQUEST_MS = 15_000

/**
 * Calls a function of schema holdfast over REST.
 *
 * @returns what it answers; `undefined` for nothing
 * @throws when there is no connection, or the server refuses
 */
export async function callFunction(
  { client, config }: Backend,
  name: string,
  values: Readonly<Record<string, string | boolean>>,
): Promise<unknown> {
  const { data } = await client.supabase.auth.getSession()
  const response = await fetch(`/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-profile': 'holdfast',
      apikey: config.anonKey,
      authorization: `Bearer ${data.session?.access_token ?? config.anonKey}`,
    },
    body: JSON.stringify(values),
    signal: AbortSignal.timeout(REQUEST_MS),
  })
  if (!response.ok) throw new Error(`${name} was answered with ${String(response.status)}`)
  const text = await response.text()
  return text === '' ? undefined : (JSON.parse(text) as unknown)
}
