import type { TokenSource } from '../../session/token-source.ts'
import type { BodyRequest, BodySender } from './body-sender.ts'

/** A server's storage, accessed as one user. */
export interface StorageEndpoint {
  /** Server URL without trailing slash. */
  readonly url: string
  readonly anonKey: string
  readonly tokens: TokenSource
  readonly fetch: typeof globalThis.fetch
  /** Sends file bodies. */
  readonly bodies: BodySender
}

/** The user must sign in before transfers can continue. */
export class SignInNeeded extends Error {
  override readonly name = 'SignInNeeded'

  constructor() {
    super('Sign in to upload and download files.')
  }
}

/** Encodes an object's path for URLs, keeping slashes. */
export function objectPath({ bucket, path }: { readonly bucket: string; readonly path: string }): string {
  return `${encodeURIComponent(bucket)}/${path.split('/').map(encodeURIComponent).join('/')}`
}

/**
 * Sends a request as the user. Replaces a rejected token once.
 *
 * @throws {SignInNeeded} without a token to try
 */
export async function fetchAsUser(
  endpoint: StorageEndpoint,
  path: string,
  init: RequestInit & { readonly headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  return asUser(endpoint, (authorization) =>
    endpoint.fetch(addressOf(endpoint, path), { ...init, headers: { ...init.headers, ...authorization } }),
  )
}

/**
 * Sends a file as {@link fetchAsUser} sends a request. A rejected token means that the bytes are sent twice.
 *
 * @throws {SignInNeeded} without a token to try
 */
export async function sendAsUser(endpoint: StorageEndpoint, path: string, request: BodyRequest): Promise<Response> {
  return asUser(endpoint, (authorization) =>
    endpoint.bodies.send(addressOf(endpoint, path), { ...request, headers: { ...request.headers, ...authorization } }),
  )
}

function addressOf({ url }: StorageEndpoint, path: string): string {
  return /^https?:/.test(path) ? path : `${url}/storage/v1${path}`
}

async function asUser(
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

/** Token errors of the server, in JSON (with quotes escaped) and as plain text. */
const ABOUT_TOKEN = /(exp|aud)\\?" claim|jwt expired|invalid jwt|Compact JWS|signature verification failed|\bsession\b/i

/** Whether the token was rejected. Storage uses the same status for denied access; only the message differs. */
async function isTokenRefused(response: Response): Promise<boolean> {
  if (response.status === 401) return true
  if (response.status !== 400 && response.status !== 403) return false
  const text = await response.clone().text()
  return ABOUT_TOKEN.test(text)
}
