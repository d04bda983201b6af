/** Platform schemas on both sides. Only listed rows and the project's additions to their tables are migrated. */
export const PLATFORM_SCHEMAS: readonly string[] = [
  '_analytics',
  '_realtime',
  '_supavisor',
  'auth',
  'cron',
  'extensions',
  'graphql',
  'graphql_public',
  'holdfast',
  'holdfast_deleted',
  'holdfast_private',
  'net',
  'pgbouncer',
  'pgsodium',
  'pgsodium_masks',
  'pgtle',
  'realtime',
  'storage',
  'subscription',
  'supabase_functions',
  'sync',
  'vault',
]

/** Platform tables whose rows are migrated: accounts with everything needed for sign-in, and stored files. Excludes server state. */
export const PLATFORM_TABLES: readonly string[] = [
  'auth.instances',
  'auth.users',
  'auth.identities',
  'auth.sso_providers',
  'auth.sso_domains',
  'auth.saml_providers',
  'auth.saml_relay_states',
  'auth.oauth_clients',
  'auth.sessions',
  'auth.refresh_tokens',
  'auth.mfa_factors',
  'auth.mfa_challenges',
  'auth.mfa_amr_claims',
  'auth.mfa_recovery_codes',
  'auth.flow_state',
  'auth.one_time_tokens',
  'auth.oauth_authorizations',
  'auth.oauth_consents',
  'auth.oauth_client_states',
  'auth.custom_oauth_providers',
  'auth.webauthn_credentials',
  'auth.webauthn_challenges',
  'auth.audit_log_entries',
  'storage.buckets',
  'storage.buckets_analytics',
  'storage.objects',
]

/** Roles of every hosted project; others belong to the project. */
export const PLATFORM_ROLES =
  /^(?:pg_.*|anon|authenticated|authenticator|service_role|postgres|dashboard_user|pgbouncer|pgsodium_.*|pgtle_admin|cli_login_.*|supabase_.*|holdfast_.*)$/
