import { type Queryable, sql, type SqlFragment } from '@holdfast/postgres'
import { isUuid } from '../store.ts'

export type TokenEndpointAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post'

/** An app whose users sign in with their account here. */
export interface OAuthClientRow {
  readonly id: string
  /** For confidential clients, which have a secret. */
  readonly client_secret_hash: string | null
  readonly registration_type: 'dynamic' | 'manual'
  readonly client_type: 'public' | 'confidential'
  readonly token_endpoint_auth_method: TokenEndpointAuthMethod
  readonly redirect_uris: readonly string[]
  readonly grant_types: readonly string[]
  readonly client_name: string | null
  readonly client_uri: string | null
  readonly logo_uri: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** @param rest - a condition on clients that are not deleted, and optional further clauses */
export function selectClients(rest: SqlFragment): SqlFragment {
  return sql`
    select id, client_secret_hash, registration_type, client_type, token_endpoint_auth_method,
           string_to_array(redirect_uris, ',') as redirect_uris, string_to_array(grant_types, ',') as grant_types,
           client_name, client_uri, logo_uri, created_at, updated_at
      from auth.oauth_clients
     where deleted_at is null and ${rest}
  `
}

export async function findClient(db: Queryable, clientId: string): Promise<OAuthClientRow | undefined> {
  if (!isUuid(clientId)) return undefined
  const [client] = await db.query<OAuthClientRow>(selectClients(sql`id = ${clientId}`))
  return client
}

/**
 * Renders auth-js's `OAuthClient`.
 *
 * @param secret - returned only once, on registration
 */
export function renderClient(client: OAuthClientRow, secret?: string): Record<string, unknown> {
  return {
    client_id: client.id,
    ...(secret === undefined ? {} : { client_secret: secret }),
    client_type: client.client_type,
    redirect_uris: client.redirect_uris,
    token_endpoint_auth_method: client.token_endpoint_auth_method,
    grant_types: client.grant_types,
    response_types: ['code'],
    ...(client.client_name === null ? {} : { client_name: client.client_name }),
    ...(client.client_uri === null ? {} : { client_uri: client.client_uri }),
    ...(client.logo_uri === null ? {} : { logo_uri: client.logo_uri }),
    registration_type: client.registration_type,
    created_at: client.created_at.toISOString(),
    updated_at: client.updated_at.toISOString(),
  }
}

/** Returns an app's description for users. */
export function describeClient(client: OAuthClientRow): Record<string, string> {
  return {
    id: client.id,
    name: client.client_name ?? '',
    uri: client.client_uri ?? '',
    logo_uri: client.logo_uri ?? '',
  }
}
