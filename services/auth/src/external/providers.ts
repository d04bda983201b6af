import type { Clock } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import type { AuthOptions } from '../options/auth-options.ts'
import { PROVIDER_NAMES, type ProviderName } from '../options/providers.ts'
import type { Sealer } from '../secrets/sealer.ts'
import { customProvider } from './custom/custom-provider.ts'
import { findCustomProvider } from './custom/custom-provider-row.ts'
import { type DescribedProvider, listCustomProviders } from './describe-providers.ts'
import { createDiscovery } from './discovery.ts'
import { unsupportedProvider } from './errors.ts'
import { createIdTokenVerifier, type VerifyIdToken } from './id-token.ts'
import type { BuiltInProvider, BuiltInSettings, ExternalProvider } from './provider.ts'
import { apple } from './providers/apple.ts'
import { azure } from './providers/azure.ts'
import { discord } from './providers/discord.ts'
import { github } from './providers/github.ts'
import { gitlab } from './providers/gitlab.ts'
import { google } from './providers/google.ts'
import { keycloak } from './providers/keycloak.ts'

const BUILT_IN: Readonly<Record<ProviderName, BuiltInProvider>> = {
  apple,
  azure,
  discord,
  github,
  gitlab,
  google,
  keycloak,
}

/** The available external providers. */
export interface Providers {
  /**
   * @param name - of a built-in provider, or `custom:…`
   * @throws {HoldfastError} `validation_failed` for an unknown, disabled or incompletely configured provider
   */
  require(name: string): Promise<ExternalProvider>
  /** Like `require`, but for ID tokens, which need less configuration. Returns the reason if the provider is not available. */
  find(name: string): Promise<ExternalProvider | { readonly missing: 'unknown' | 'disabled' }>
  /** Built-in providers enabled in the settings. */
  readonly enabled: ReadonlySet<ProviderName>
  readonly verifyIdToken: VerifyIdToken
  /** Lists built-in providers, then custom ones. */
  describe(): Promise<readonly DescribedProvider[]>
}

export function createProviders(input: {
  readonly pool: Pool
  readonly options: AuthOptions
  readonly sealer: Sealer
  readonly clock: Clock
  /** URL of this API. */
  readonly issuer: string
}): Providers {
  const { pool, options, sealer, clock } = input
  const discover = createDiscovery(clock)
  const callback = `${input.issuer}/callback`
  const enabled = new Set(PROVIDER_NAMES.filter((name) => read(options, name, 'Enabled') === true))

  async function find(name: string): Promise<ExternalProvider | { readonly missing: 'unknown' | 'disabled' }> {
    if (name.startsWith('custom:')) return findCustom(name)
    if (!isBuiltIn(name)) return { missing: 'unknown' }
    if (!enabled.has(name)) return { missing: 'disabled' }
    return BUILT_IN[name](settingsOf(options, name, callback), discover)
  }

  async function findCustom(name: string): Promise<ExternalProvider | { readonly missing: 'unknown' | 'disabled' }> {
    const row = await findCustomProvider(pool, name)
    if (!row) return { missing: 'unknown' }
    if (!row.enabled) return { missing: 'disabled' }
    const clientSecret = sealer.open(row.id, row.client_secret)
    if (clientSecret === undefined) throw unsupportedProvider(`the secret of ${name} cannot be read; set it again`)
    return customProvider({ row, clientSecret, redirectUri: callback, discover })
  }

  return {
    find,
    enabled,
    verifyIdToken: createIdTokenVerifier(clock),
    describe: async () => [
      ...PROVIDER_NAMES.map((name) => describeBuiltIn(options, name, callback)),
      ...(await listCustomProviders(pool, callback)),
    ],
    async require(text) {
      const name = text.toLowerCase()
      const provider = await find(name)
      if ('missing' in provider) throw unsupportedProvider(explainMissing(name, provider.missing))
      if (provider.clientId === '') throw unsupportedProvider('missing OAuth client ID')
      if (provider.clientSecret === '') throw unsupportedProvider('missing OAuth secret')
      return provider
    },
  }
}

function describeBuiltIn(options: AuthOptions, name: ProviderName, callback: string): DescribedProvider {
  const { clientId, clientSecret, redirectUri, url } = settingsOf(options, name, callback)
  const optionPrefix = prefixOf(name)
  const missing = [
    ...(clientId === '' ? ['ClientId'] : []),
    ...(clientSecret === '' ? ['Secret'] : []),
    // A Keycloak has no public address.
    ...(name === 'keycloak' && url === undefined ? ['Url'] : []),
  ]
  return {
    name,
    isEnabled: read(options, name, 'Enabled') === true,
    missing: missing.map((field) => `${optionPrefix}${field}`),
    callbackUrl: redirectUri,
    optionPrefix,
  }
}

function explainMissing(name: string, missing: 'unknown' | 'disabled'): string {
  if (name.startsWith('custom:'))
    return `custom provider ${name} ${missing === 'unknown' ? 'not found' : 'is disabled'}`
  return missing === 'unknown' ? `Provider ${name} could not be found` : 'provider is not enabled'
}

function isBuiltIn(name: string): name is ProviderName {
  return PROVIDER_NAMES.some((known) => known === name)
}

function settingsOf(options: AuthOptions, name: ProviderName, callback: string): BuiltInSettings {
  const clientIds = (textOption(options, name, 'ClientId') ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
  return {
    name,
    clientId: clientIds[0] ?? '',
    audiences: clientIds,
    clientSecret: textOption(options, name, 'Secret') ?? '',
    redirectUri: textOption(options, name, 'RedirectUri') ?? callback,
    url: textOption(options, name, 'Url')?.replace(/\/+$/, ''),
    emailOptional: read(options, name, 'EmailOptional') === true,
    skipNonceCheck: read(options, name, 'SkipNonceCheck') === true,
  }
}

function textOption(options: AuthOptions, name: ProviderName, field: 'ClientId' | 'Secret' | 'RedirectUri' | 'Url') {
  const value = read(options, name, field)
  return typeof value === 'string' && value !== '' ? value : undefined
}

type Field = 'Enabled' | 'ClientId' | 'Secret' | 'RedirectUri' | 'Url' | 'SkipNonceCheck' | 'EmailOptional'

function read(options: AuthOptions, name: ProviderName, field: Field): unknown {
  return options[`${prefixOf(name)}${field}`]
}

function prefixOf(name: ProviderName): `external${Capitalize<ProviderName>}` {
  return `external${name.charAt(0).toUpperCase()}${name.slice(1)}` as `external${Capitalize<ProviderName>}`
}
