import { randomUUID } from 'node:crypto'
import { assert } from '@holdfast/foundation'
import { type Queryable, sql, type Pool } from '@holdfast/postgres'
import { offsetOf, type Page } from '../admin/pagination.ts'
import { validationFailed } from '../errors.ts'
import { isoNow, type Store, isUuid } from '../store.ts'
import { type ClientMetadata, type NewClient, parseChangedClient, parseNewClient } from './client-metadata.ts'
import { findClient, type OAuthClientRow, selectClients } from './client-row.ts'
import { clientNotFound } from './errors.ts'
import { createSecret, hashSecret } from './secrets.ts'

/** An app, with its secret if it was just created. The secret cannot be read later. */
export interface RegisteredClient {
  readonly client: OAuthClientRow
  readonly secret: string | undefined
}

/**
 * Registers an app.
 *
 * @param input.registration - `manual` by an administrator, `dynamic` by the app itself
 * @throws {HoldfastError} `validation_failed`
 */
export async function registerClient(
  { pool, clock }: Store,
  input: { readonly metadata: ClientMetadata; readonly registration: OAuthClientRow['registration_type'] },
): Promise<RegisteredClient> {
  const client = parseNewClient(input.metadata)
  const id = randomUUID()
  const secret = client.type === 'confidential' ? createSecret() : undefined
  const now = isoNow(clock)
  await pool.execute(sql`
    insert into auth.oauth_clients (
      id, client_secret_hash, registration_type, redirect_uris, grant_types, client_name, client_uri, logo_uri, created_at,
      updated_at, client_type, token_endpoint_auth_method
    ) values (
      ${id}, ${secret === undefined ? null : hashSecret(secret)}, ${input.registration}, ${client.redirectUris.join(',')},
      ${client.grantTypes.join(',')}, ${client.name}, ${client.uri}, ${client.logoUri}, ${now}, ${now}, ${client.type},
      ${client.method}
    )
  `)
  return { client: await requireClient(pool, id), secret }
}

/** Lists apps, newest first. */
export async function listClients(
  pool: Pool,
  page: Page,
): Promise<{ readonly clients: readonly OAuthClientRow[]; readonly total: number }> {
  const [[count], clients] = await Promise.all([
    pool.query<{ total: string }>(sql`select count(*) as total from auth.oauth_clients where deleted_at is null`),
    pool.query<OAuthClientRow>(
      selectClients(sql`true order by created_at desc, id limit ${page.rows} offset ${offsetOf(page)}`),
    ),
  ])
  return { clients, total: Number(count?.total ?? 0) }
}

/**
 * Returns the app of an admin API path.
 *
 * @throws {HoldfastError} `validation_failed`, `oauth_client_not_found`
 */
export async function requireClient(db: Queryable, clientId: string): Promise<OAuthClientRow> {
  if (!isUuid(clientId)) throw validationFailed('invalid client_id format')
  const client = await findClient(db, clientId)
  if (!client) throw clientNotFound(404)
  return client
}

/** @throws {HoldfastError} `validation_failed`, `oauth_client_not_found` */
export async function changeClient(
  needs: Store,
  input: { readonly clientId: string; readonly metadata: ClientMetadata },
): Promise<OAuthClientRow> {
  const { pool } = needs
  const client = await requireClient(pool, input.clientId)
  await saveClient(needs, client.id, parseChangedClient(client, input.metadata))
  return requireClient(pool, client.id)
}

/**
 * Replaces an app's secret. The old one stops working.
 *
 * @throws {HoldfastError} `validation_failed` for an app without a secret, `oauth_client_not_found`
 */
export async function regenerateSecret({ pool, clock }: Store, clientId: string): Promise<RegisteredClient> {
  const client = await requireClient(pool, clientId)
  if (client.client_type === 'public') throw validationFailed('Cannot regenerate secret for public client')
  const secret = createSecret()
  const now = isoNow(clock)
  await pool.execute(sql`
    update auth.oauth_clients set client_secret_hash = ${hashSecret(secret)}, updated_at = ${now} where id = ${client.id}
  `)
  return { client: await requireClient(pool, client.id), secret }
}

/**
 * Deletes an app and ends the sessions granted to it.
 *
 * @throws {HoldfastError} `validation_failed`, `oauth_client_not_found`
 */
export async function deleteClient({ pool, clock }: Store, clientId: string): Promise<void> {
  const now = isoNow(clock)
  await pool.transaction(async (tx) => {
    const { id } = await requireClient(tx, clientId)
    await tx.execute(sql`update auth.oauth_clients set deleted_at = ${now}, updated_at = ${now} where id = ${id}`)
    await tx.execute(sql`
      update auth.oauth_consents
         set revoked_at = greatest(${now}::timestamptz, granted_at)
       where client_id = ${id} and revoked_at is null
    `)
    await tx.execute(sql`delete from auth.oauth_authorizations where client_id = ${id}`)
    await tx.execute(sql`delete from auth.sessions where oauth_client_id = ${id}`)
  })
}

async function saveClient({ pool, clock }: Store, id: string, client: NewClient): Promise<void> {
  const now = isoNow(clock)
  const saved = await pool.execute(sql`
    update auth.oauth_clients
       set redirect_uris = ${client.redirectUris.join(',')}, grant_types = ${client.grantTypes.join(',')},
           client_name = ${client.name}, client_uri = ${client.uri}, logo_uri = ${client.logoUri},
           token_endpoint_auth_method = ${client.method}, updated_at = ${now}
     where id = ${id}
  `)
  assert(saved === 1, 'the client was just read')
}
