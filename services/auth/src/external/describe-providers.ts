import type { Pool } from '@holdfast/postgres'
import { sql } from '@holdfast/postgres'

/** What an operator has to know to configure a provider. Secrets and client ids are left out. */
export interface DescribedProvider {
  /** `github`, or `custom:…`. */
  readonly name: string
  readonly isEnabled: boolean
  /** Options without which sign-in fails; empty for custom providers. */
  readonly missing: readonly string[]
  /** Callback URL to register at the provider. */
  readonly callbackUrl: string
  /** Prefix of its options; `undefined` for custom providers, which are set through the admin API. */
  readonly optionPrefix: string | undefined
}

/** Custom providers in a list. A project has a few. */
const CUSTOM_PROVIDERS_MAX = 100

/** Lists custom providers by name. */
export async function listCustomProviders(pool: Pool, callbackUrl: string): Promise<readonly DescribedProvider[]> {
  const rows = await pool.query<{ identifier: string; enabled: boolean }>(sql`
    select identifier, enabled from auth.custom_oauth_providers order by identifier limit ${CUSTOM_PROVIDERS_MAX}::int`)
  return rows.map(({ identifier, enabled }) => ({
    name: identifier,
    isEnabled: enabled,
    missing: [],
    callbackUrl,
    optionPrefix: undefined,
  }))
}
