import { randomUUID } from 'node:crypto'
import { type Clock, type JsonObject, errorMessage } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { validationFailed } from '../../errors.ts'
import { CUSTOM_PROVIDERS_MAX } from '../../limits.ts'
import type { Sealer } from '../../secrets/sealer.ts'
import { type Store, violatedConstraint } from '../../store.ts'
import { createDiscovery, discoveryUrlOf } from '../discovery.ts'
import { customProviderExists, customProviderNotFound, tooManyCustomProviders } from '../errors.ts'
import { createProviderNetwork } from '../provider-network.ts'
import {
  countCustomProviders,
  type CustomProviderRow,
  findCustomProvider,
  saveCustomProvider,
} from './custom-provider-row.ts'
import {
  type CustomProviderBody,
  type CustomProviderFields,
  parseCustomProviderChange,
  parseNewCustomProvider,
  requireCustomIdentifier,
} from './parse-custom-provider.ts'

export type ChangeCustomProvidersNeeds = Store & { readonly sealer: Sealer }

/**
 * Creates a provider. The discovery document of an OpenID provider is fetched and checked, so mistakes show before users sign in.
 *
 * @throws {HoldfastError} `validation_failed`, `conflict`, `over_custom_provider_quota`
 */
export async function createCustomProvider(
  { pool, clock, sealer }: ChangeCustomProvidersNeeds,
  body: CustomProviderBody,
): Promise<CustomProviderRow> {
  const fields = parseNewCustomProvider(body)
  if ((await countCustomProviders(pool)) >= CUSTOM_PROVIDERS_MAX) throw tooManyCustomProviders()
  if (await findCustomProvider(pool, fields.identifier)) throw customProviderExists()
  const discovery = fields.provider_type === 'oidc' ? await readDiscovery(clock, fields) : null
  const id = randomUUID()
  const now = new Date(clock.now())
  const row: CustomProviderRow = {
    ...fields,
    id,
    client_secret: sealer.seal(id, body.client_secret ?? ''),
    cached_discovery: discovery,
    created_at: now,
    updated_at: now,
  }
  await saveUnlessTaken(pool, row)
  return row
}

/** @throws {HoldfastError} `validation_failed`, `custom_provider_not_found` */
export async function changeCustomProvider(
  { pool, clock, sealer }: ChangeCustomProvidersNeeds,
  identifier: string,
  body: CustomProviderBody,
): Promise<CustomProviderRow> {
  const current = await requireCustomProvider(pool, identifier)
  const fields = parseCustomProviderChange(current, body)
  const isIssuerChanged = fields.provider_type === 'oidc' && Boolean(body.issuer || body.discovery_url)
  const row: CustomProviderRow = {
    ...current,
    ...fields,
    client_secret: body.client_secret ? sealer.seal(current.id, body.client_secret) : current.client_secret,
    cached_discovery: isIssuerChanged ? await readDiscovery(clock, fields) : current.cached_discovery,
    updated_at: new Date(clock.now()),
  }
  await saveCustomProvider(pool, row)
  return row
}

/** @throws {HoldfastError} `validation_failed`, `custom_provider_not_found` */
export async function requireCustomProvider(pool: Pool, identifier: string): Promise<CustomProviderRow> {
  requireCustomIdentifier(identifier)
  const row = await findCustomProvider(pool, identifier)
  if (!row) throw customProviderNotFound()
  return row
}

async function saveUnlessTaken(pool: Pool, row: CustomProviderRow): Promise<void> {
  try {
    await saveCustomProvider(pool, row)
  } catch (error) {
    throw violatedConstraint(error) === 'custom_oauth_providers_identifier_key' ? customProviderExists() : error
  }
}

/** Fields of the discovery document that GoTrue shows. */
const SHOWN = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'jwks_uri',
  'scopes_supported',
  'response_types_supported',
  'grant_types_supported',
  'subject_types_supported',
]

/** Reads it from the database, not from memory. */
async function readDiscovery(clock: Clock, fields: CustomProviderFields): Promise<JsonObject> {
  const issuer = fields.issuer ?? ''
  const address = fields.discovery_url ?? discoveryUrlOf(issuer)
  try {
    const server: JsonObject = await createDiscovery(clock)(createProviderNetwork(issuer), issuer, address)
    return Object.fromEntries(
      SHOWN.filter((field) => server[field] !== undefined).map((field) => [field, server[field]]),
    )
  } catch (error) {
    throw validationFailed(`OIDC discovery from ${JSON.stringify(address)} failed: ${errorMessage(error)}`)
  }
}
