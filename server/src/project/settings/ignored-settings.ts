/** A key of `config.toml`, or a whole table, that Holdfast recognizes but ignores. */
export interface IgnoredSetting {
  readonly at: string
  /** Completes the sentence "… has no effect here: ". */
  readonly why: string
}

const OTHERS = 'settings of programs that are no part of Holdfast'
const OWN_POSTGRES = 'the packaged Postgres is reached from this machine only, and has settings of its own'
const OWN_KEYS = 'Holdfast makes its own; see "holdfast keys" and the option jwtSecret'

/**
 * Sections and keys of Supabase's `config.toml` that are accepted without effect. The first match applies. Values that disable a feature (false, empty) are not
 * reported.
 */
export const IGNORED_SETTINGS: readonly IgnoredSetting[] = [
  ...[
    'studio',
    'inbucket',
    'local_smtp',
    'analytics',
    'experimental',
    'db.shadow_port',
    'db.pooler',
    'db.health_timeout',
  ].map((at) => ({ at, why: OTHERS })),
  { at: 'remotes', why: 'they are settings of branches of a hosted project' },
  { at: 'db.network_restrictions', why: OWN_POSTGRES },
  { at: 'db.ssl_enforcement', why: OWN_POSTGRES },
  { at: 'db.settings', why: OWN_POSTGRES },
  { at: 'db.root_key', why: 'the key of the vault is the file vault-key of the data folder' },
  { at: 'db.vault', why: 'a migration or seed makes secrets with vault.create_secret' },
  { at: 'db.migrations.schema_paths', why: 'only files in supabase/migrations are applied' },
  { at: 'api.tls', why: 'HTTPS is set with the options tlsCertFile and tlsKeyFile' },
  { at: 'api.external_url', why: 'the address is set with the option externalUrl' },
  { at: 'api.auto_expose_new_tables', why: 'what API roles may do with tables is what migrations grant' },
  { at: 'auth.external_url', why: 'the address is set with the option externalUrl' },
  { at: 'auth.jwt_issuer', why: 'the issuer is the address of this server' },
  ...['publishable_key', 'secret_key', 'anon_key', 'service_role_key'].map((key) => ({
    at: `auth.${key}`,
    why: OWN_KEYS,
  })),
  { at: 'auth.web3', why: 'signing in with a wallet is not here' },
  ...['messagebird', 'textlocal', 'vonage'].map((provider) => ({
    at: `auth.sms.${provider}`,
    why: 'text messages go through Twilio, or through a hook send_sms',
  })),
  { at: 'auth.external', why: 'this provider is not built in; administrators add it as an own OAuth or OIDC provider' },
  { at: 'storage.analytics', why: 'there are no analytics buckets' },
  { at: 'storage.vector', why: 'there are no vector buckets' },
  { at: 'realtime.ip_version', why: 'channels have the address of the server' },
  { at: 'realtime.max_header_length', why: 'channels have the limits of the server' },
  { at: 'edge_runtime.deno_version', why: 'functions run in the Deno of the option functionsDeno' },
]

/** Keys for which Holdfast supports a single value, which is not reported. */
export const FIXED: Readonly<Record<string, { readonly has: unknown; readonly why: string }>> = {
  'api.enabled': { has: true, why: 'the REST API is always served' },
  'auth.enabled': { has: true, why: 'accounts are always served' },
  'db.major_version': { has: 18, why: 'Postgres is version 18' },
  'edge_runtime.deno_version': { has: 2, why: 'Deno is version 2' },
}

/** Keys that other parts read, and keys without any effect to report. */
export const READ_ELSEWHERE: readonly string[] = [
  '$schema',
  'project_id',
  'auth.rate_limit.web3',
  'functions',
  'edge_runtime.enabled',
  'edge_runtime.policy',
  'edge_runtime.inspector_port',
  'edge_runtime.secrets',
  'db.migrations.enabled',
  'db.seed.enabled',
  'db.seed.sql_paths',
  'storage.buckets',
]
