import { isAuthRetryableFetchError } from '@supabase/supabase-js'
import type { Backend } from './backend.ts'
import { ownRequest } from './own-request.ts'

/** The server refused a call, or failed at it. */
export class CallRefused extends Error {
  /** HTTP status. */
  readonly status: number
  /** SQLSTATE, or a code of the REST service. */
  readonly code: string | undefined
  /** What the function says it was, such as `member.last_owner`. */
  readonly hint: string | undefined

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    const text = (key: string): string | undefined => (typeof body[key] === 'string' ? body[key] : undefined)
    super(text('message') ?? `The server answered with ${String(status)}.`)
    this.name = 'CallRefused'
    this.status = status
    this.code = text('code')
    this.hint = text('hint')
  }
}

/**
 * Calls a function of schema `holdfast` over REST, as whoever is signed in. The client of the REST API is not in the app (`unused-services.ts`): this is all
 * that the app asks of it.
 *
 * @returns what the function returns; `undefined` of one that returns nothing
 * @throws {CallRefused}
 * @throws {TypeError} when the server was not reached, is silent for half a minute, or something between answers in its place
 */
export async function callFunction<Result>({ client, config }: Backend, name: string, args: object): Promise<Result> {
  const { data, error } = await client.supabase.auth.getSession()
  // Asked as nobody in particular, the server would refuse, as if the session were over.
  if (error && isAuthRetryableFetchError(error))
    throw new TypeError('The token cannot be renewed now.', { cause: error })
  const response = await post(`/rest/v1/rpc/${name}`, args, {
    'content-profile': 'holdfast',
    apikey: config.anonKey,
    authorization: `Bearer ${data.session?.access_token ?? config.anonKey}`,
  })
  if (response.status === 204) return undefined as Result
  const body = await response.json().catch(() => undefined as unknown)
  if (!response.ok) throw new CallRefused(response.status, (body ?? {}) as Record<string, unknown>)
  if (body === undefined) throw new TypeError('The line was cut within the answer.')
  return body as Result
}

/** Throws as {@link ownRequest}. */
export function post(address: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return ownRequest(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}
