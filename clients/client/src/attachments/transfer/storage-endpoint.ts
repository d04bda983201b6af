import type { TokenSource } from '../../session/token-source.ts'
import type { BodyRequest, BodySender } from './body-sender.ts'

/** Storage of one server, as one person. */
export interface StorageEndpoint {
  /** The server's address without a slash at its end. */
  readonly url: string
  readonly anonKey: string
  readonly tokens: TokenSource
  readonly fetch: typeof globalThis.fetch
  /** Sends what has the bytes of a file as its body. */
  readonly bodies: BodySender
}

/** The person has to sign in before files go up or come down. */
export class SignInNeeded extends Error {
  override readonly name = 'SignInNeeded'

  constructor() {
    super('Sign in to send and fetch files.')
  }
}

/** The path of an object in addresses: each segment encoded, slashes kept. */
export function objectPath({ bucket, path }: { readonly bucket: string; readonly path: string }): string {
  return `${encodeURIComponent(bucket)}/${path.split('/').map(encodeURIComponent).join('/')}`
}

/**
 * Sends a request as the person. A token that the server no longer takes is replaced once.
 *
 * @throws {SignInNeeded} when there is no token to try
 */
export async function fetchAsPerson(
  endpoint: StorageEndpoint,
  path: string,
  init: RequestInit & { readonly headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  return asPerson(endpoint, (authorization) =>
    endpoint.fetch(addressOf(endpoint, path), { ...init, headers: { ...init.headers, ...authorization } }),
  )
}

/**
 * Sends the bytes of a file as {@link fetchAsPerson} sends a request. With a token that is not taken they go twice.
 *
 * @throws {SignInNeeded} when there is no token to try
 */
export async function sendAsPerson(endpoint: StorageEndpoint, path: string, request: BodyRequest): Promise<Response> {
  return asPerson(endpoint, (authorization) =>
    endpoint.bodies.send(addressOf(endpoint, path), { ...request, headers: { ...request.headers, ...authorization } }),
  )
}

function addressOf({ url }: StorageEndpoint, path: string): string {
  return /^https?:/.test(path) ? path : `${url}/storage/v1${path}`
}

async function asPerson(
  endpoint: StorageEndpoint,
  sendWith: (authorization: { readonly apikey: string; readonly authorization: string }) => Promise<Response>,
): Promise<Response> {
  const send = (token: string): Promise<Response> =>
    sendWith({ apikey: endpoint.anonKey, authorization: `Bearer ${token}` })
  const token = await endpoint.tokens.token()
  if (token === undefined) throw new SignInNeeded()
  const response = await send(token)
  if (!(await isTokenRefused(response))) return response
  const fresh = await endpoint.tokens.refreshedToken()
  if (fresh === undefined) throw new SignInNeeded()
  return send(fresh)
}

/** The server's errors about tokens, in JSON (with its quotes escaped) and as plain text. */
const ABOUT_TOKEN = /(exp|aud)\\?" claim|jwt expired|invalid jwt|Compact JWS|signature verification failed|\bsession\b/i

/** Storage refuses a token as it refuses a right: only its message tells. */
async function isTokenRefused(response: Response): Promise<boolean> {
  if (response.status === 401) return true
  if (response.status !== 400 && response.status !== 403) return false
  const text = await response.clone().text()
  return ABOUT_TOKEN.test(text)
}
