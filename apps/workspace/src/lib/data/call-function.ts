import { isAuthRetryableFetchError } from '@supabase/supabase-js'
import type { Backend } from './backend.ts'
import { ownRequest } from './own-request.ts'

/** The server refused a call, or failed. */
export class CallRefused extends Error {
  /** HTTP status. */
  readonly status: number
  /** SQLSTATE, or a code of the REST service. */
  readonly code: string | undefined
  /** Identifies the reason, such as `member.last_owner`. */
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
 * Calls a function in schema `holdfast` over REST as the signed-in user. The app does not bundle supabase-js's REST client (`unused-services.ts`).
 *
 * @returns the function's result; `undefined` if none
 * @throws {CallRefused}
 * @throws {TypeError} if the server is unreachable, silent for half a minute, or an intermediary responds
 */
export async function callFunction<Result>({ client, config }: Backend, name: string, args: object): Promise<Result> {
  const token = await readAccessToken(client)
  const response = await post(`/rest/v1/rpc/${name}`, args, {
    'content-profile': 'holdfast',
    apikey: config.anonKey,
    authorization: `Bearer ${token ?? config.anonKey}`,
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

/** Returns the user's token; `undefined` when signed out. @throws {TypeError} if it cannot be renewed now */
export async function readAccessToken(client: Backend['client']): Promise<string | undefined> {
  const { data, error } = await client.supabase.auth.getSession()
  // An anonymous call would be refused as if the session were over.
  if (error && isAuthRetryableFetchError(error))
    throw new TypeError('The token cannot be renewed now.', { cause: error })
  return data.session?.access_token
}
