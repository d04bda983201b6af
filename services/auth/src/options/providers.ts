import type { OptionDeclaration } from '@holdfast/foundation'

/** External providers with their own settings. Others are created through the admin API, see `custom_oauth_providers`. */
export const PROVIDER_NAMES = ['apple', 'azure', 'discord', 'github', 'gitlab', 'google', 'keycloak'] as const

export type ProviderName = (typeof PROVIDER_NAMES)[number]

interface ProviderFields {
  readonly Enabled: { readonly type: 'boolean'; readonly default: false; readonly description: string }
  readonly ClientId: { readonly type: 'string'; readonly description: string }
  readonly Secret: { readonly type: 'string'; readonly secret: true; readonly description: string }
  readonly RedirectUri: { readonly type: 'string'; readonly description: string }
  readonly Url: { readonly type: 'string'; readonly description: string }
  readonly SkipNonceCheck: { readonly type: 'boolean'; readonly default: false; readonly description: string }
  readonly EmailOptional: { readonly type: 'boolean'; readonly default: false; readonly description: string }
}

type ProviderOptions = {
  readonly [
    K in `external${Capitalize<ProviderName>}${keyof ProviderFields}`
  ]: K extends `external${Capitalize<ProviderName>}${infer F extends keyof ProviderFields}` ? ProviderFields[F] : never
}

/** The settings of one provider, named as `[auth.external.github]` in Supabase's `config.toml`. */
function optionsOf(name: ProviderName): readonly (readonly [string, OptionDeclaration])[] {
  const prefix = `external${name.charAt(0).toUpperCase()}${name.slice(1)}`
  const fields: ProviderFields = {
    Enabled: { type: 'boolean', default: false, description: `Whether users may sign in with ${name}.` },
    ClientId: {
      type: 'string',
      description: `App id at ${name}; of several, separated by commas, browsers use the first.`,
    },
    Secret: { type: 'string', secret: true, description: `App secret at ${name}.` },
    RedirectUri: {
      type: 'string',
      description: `URL to which ${name} returns. Default: \`/auth/v1/callback\` of this server.`,
    },
    Url: { type: 'string', description: `URL of ${name} if not the public one.` },
    SkipNonceCheck: {
      type: 'boolean',
      default: false,
      description: `Whether ID tokens of ${name} are accepted without a nonce check.`,
    },
    EmailOptional: {
      type: 'boolean',
      default: false,
      description: `Whether users may sign in with ${name} without an email address.`,
    },
  }
  return Object.entries(fields).map(([field, declaration]) => [`${prefix}${field}`, declaration])
}

export const providerOptions = Object.fromEntries(PROVIDER_NAMES.flatMap(optionsOf)) as unknown as ProviderOptions
