import type { Queryable } from '@holdfast/postgres'
import { findClient, type OAuthClientRow, type TokenEndpointAuthMethod } from './client-row.ts'
import { invalidClient, invalidRequest } from './errors.ts'
import { matchesSecret } from './secrets.ts'

interface Credentials {
  readonly clientId: string
  readonly secret: string
  readonly method: TokenEndpointAuthMethod
}

/**
 * Authenticates an app with the one method it is registered for.
 *
 * @param input.authorization - the header
 * @param input.body - the fields of the request
 * @throws {OAuthError} `invalid_client`, `invalid_request`
 * @see RFC 6749, section 2.3
 */
export async function authenticateClient(
  db: Queryable,
  input: { readonly authorization: string | undefined; readonly body: ReadonlyMap<string, string> },
): Promise<OAuthClientRow> {
  const { clientId, secret, method } = readCredentials(input.authorization, input.body)
  const usedBasic = method === 'client_secret_basic'
  const client = await findClient(db, clientId)
  if (!client) throw invalidClient(usedBasic)
  if (client.token_endpoint_auth_method !== method) {
    const registered = client.token_endpoint_auth_method
    throw invalidClient(
      usedBasic,
      `invalid authentication method: client is registered for '${registered}' but '${method}' was used`,
    )
  }
  if (client.client_type === 'public') return client
  if (client.client_secret_hash === null || !matchesSecret(secret, client.client_secret_hash)) {
    throw invalidClient(usedBasic)
  }
  return client
}

function readCredentials(authorization: string | undefined, body: ReadonlyMap<string, string>): Credentials {
  const clientId = body.get('client_id') ?? ''
  const secret = body.get('client_secret') ?? ''
  const basic = /^Basic +(\S+) *$/i.exec(authorization ?? '')?.[1]
  if (basic !== undefined) {
    const credentials = readBasic(basic)
    if (secret !== '') throw invalidRequest('Only one way of client authentication can be used')
    if (clientId !== '' && clientId !== credentials.clientId) {
      throw invalidRequest('client_id differs from that of the authorization header')
    }
    return credentials
  }
  if (clientId === '') throw invalidClient(false, 'client_id is required')
  return { clientId, secret, method: secret === '' ? 'none' : 'client_secret_post' }
}

function readBasic(encoded: string): Credentials {
  const [clientId, secret] = Buffer.from(encoded, 'base64').toString('utf8').split(/:(.*)/s, 2)
  try {
    return {
      clientId: decodeForm(clientId ?? ''),
      secret: decodeForm(secret ?? ''),
      method: 'client_secret_basic',
    }
  } catch {
    // Not form-encoded, so it is neither an id nor a secret of ours.
    throw invalidClient(true)
  }
}

/** @throws {URIError} */
function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
