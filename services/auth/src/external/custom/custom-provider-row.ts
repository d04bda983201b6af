import type { JsonObject } from '@holdfast/foundation'
import { type Queryable, sql } from '@holdfast/postgres'

/** A row of `auth.custom_oauth_providers`. The secret never leaves the service. */
export interface CustomProviderRow {
  readonly id: string
  readonly provider_type: 'oauth2' | 'oidc'
  readonly identifier: string
  readonly name: string
  readonly client_id: string
  /** Sealed, see `secrets/sealer.ts`. */
  readonly client_secret: string
  readonly acceptable_client_ids: readonly string[]
  readonly scopes: readonly string[]
  readonly pkce_enabled: boolean
  readonly attribute_mapping: JsonObject
  readonly custom_claims_allowlist: readonly string[]
  readonly authorization_params: JsonObject
  readonly enabled: boolean
  readonly email_optional: boolean
  readonly issuer: string | null
  readonly discovery_url: string | null
  readonly skip_nonce_check: boolean
  readonly cached_discovery: JsonObject | null
  readonly authorization_url: string | null
  readonly token_url: string | null
  readonly userinfo_url: string | null
  readonly jwks_uri: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

export async function findCustomProvider(db: Queryable, identifier: string): Promise<CustomProviderRow | undefined> {
  const [row] = await db.query<CustomProviderRow>(
    sql`select * from auth.custom_oauth_providers where identifier = ${identifier}`,
  )
  return row
}

/** Lists providers, newest first. @param type - default: all */
export async function listCustomProviders(db: Queryable, type?: 'oauth2' | 'oidc'): Promise<CustomProviderRow[]> {
  const which = type === undefined ? sql`true` : sql`provider_type = ${type}`
  return db.query<CustomProviderRow>(
    sql`select * from auth.custom_oauth_providers where ${which} order by created_at desc, identifier`,
  )
}

/** Lists enabled providers for a sign-in page. */
export async function listEnabledCustomProviders(
  db: Queryable,
): Promise<{ readonly identifier: string; readonly name: string }[]> {
  return db.query(
    sql`select identifier, name from auth.custom_oauth_providers where enabled order by created_at, identifier`,
  )
}

export async function countCustomProviders(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*)::int as count from auth.custom_oauth_providers`)
  return row?.count ?? 0
}

/** Inserts or updates a provider. The identifier and type never change. */
export async function saveCustomProvider(db: Queryable, row: CustomProviderRow): Promise<void> {
  const discovery = row.cached_discovery === null ? null : JSON.stringify(row.cached_discovery)
  await db.execute(sql`
    insert into auth.custom_oauth_providers (
      id, provider_type, identifier, name, client_id, client_secret, acceptable_client_ids, scopes, pkce_enabled, attribute_mapping,
      custom_claims_allowlist, authorization_params, enabled, email_optional, issuer, discovery_url, skip_nonce_check,
      cached_discovery, discovery_cached_at, authorization_url, token_url, userinfo_url, jwks_uri, created_at, updated_at
    ) values (
      ${row.id}, ${row.provider_type}, ${row.identifier}, ${row.name}, ${row.client_id}, ${row.client_secret},
      ${row.acceptable_client_ids}, ${row.scopes}, ${row.pkce_enabled}, ${JSON.stringify(row.attribute_mapping)}::jsonb,
      ${row.custom_claims_allowlist}, ${JSON.stringify(row.authorization_params)}::jsonb, ${row.enabled}, ${row.email_optional},
      ${row.issuer}, ${row.discovery_url}, ${row.skip_nonce_check}, ${discovery}::jsonb,
      ${discovery === null ? null : row.updated_at}, ${row.authorization_url}, ${row.token_url}, ${row.userinfo_url},
      ${row.jwks_uri}, ${row.created_at}, ${row.updated_at}
    )
    on conflict (id) do update set
      name = excluded.name, client_id = excluded.client_id, client_secret = excluded.client_secret,
      acceptable_client_ids = excluded.acceptable_client_ids, scopes = excluded.scopes, pkce_enabled = excluded.pkce_enabled,
      attribute_mapping = excluded.attribute_mapping, custom_claims_allowlist = excluded.custom_claims_allowlist,
      authorization_params = excluded.authorization_params, enabled = excluded.enabled,
      email_optional = excluded.email_optional, issuer = excluded.issuer, discovery_url = excluded.discovery_url,
      skip_nonce_check = excluded.skip_nonce_check, cached_discovery = excluded.cached_discovery,
      discovery_cached_at = excluded.discovery_cached_at, authorization_url = excluded.authorization_url,
      token_url = excluded.token_url, userinfo_url = excluded.userinfo_url, jwks_uri = excluded.jwks_uri,
      updated_at = excluded.updated_at
  `)
}

/** @returns whether a provider was deleted */
export async function deleteCustomProvider(db: Queryable, identifier: string): Promise<boolean> {
  const deleted = await db.execute(sql`delete from auth.custom_oauth_providers where identifier = ${identifier}`)
  return deleted > 0
}

/** Renders auth-js's `CustomOAuthProvider`, without the secret. */
export function renderCustomProvider(row: CustomProviderRow): Record<string, unknown> {
  const text = (name: string, value: string | null): Record<string, string> => (value === null ? {} : { [name]: value })
  return {
    id: row.id,
    provider_type: row.provider_type,
    identifier: row.identifier,
    name: row.name,
    client_id: row.client_id,
    acceptable_client_ids: row.acceptable_client_ids,
    scopes: row.scopes,
    pkce_enabled: row.pkce_enabled,
    attribute_mapping: row.attribute_mapping,
    custom_claims_allowlist: row.custom_claims_allowlist,
    authorization_params: row.authorization_params,
    enabled: row.enabled,
    email_optional: row.email_optional,
    ...text('issuer', row.issuer),
    ...text('discovery_url', row.discovery_url),
    skip_nonce_check: row.skip_nonce_check,
    ...(row.cached_discovery === null ? {} : { discovery_document: row.cached_discovery }),
    ...text('authorization_url', row.authorization_url),
    ...text('token_url', row.token_url),
    ...text('userinfo_url', row.userinfo_url),
    ...text('jwks_uri', row.jwks_uri),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
