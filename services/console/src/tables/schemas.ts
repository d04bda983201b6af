/** Schemas that the console never shows: Postgres's own, the console's, and those whose rows are secret or derived. */
const HIDDEN = new Set([
  'holdfast_console',
  'holdfast_deleted',
  'holdfast_private',
  'information_schema',
  'net',
  'sync',
  'vault',
])

/** Schemas of Holdfast's services, shown read-only. */
const MANAGED = new Set([
  'auth',
  'cron',
  'extensions',
  'holdfast',
  'pgmq',
  'realtime',
  'storage',
  'supabase_functions',
  'supabase_migrations',
])

/** Columns of managed schemas whose values would let a reader sign in, act for a user, or open a private link. */
const SECRET =
  /password|secret|token|hash|hmac|otp|challenge|verifier|nonce|code|digest|jwk|key$|credential$|session_data|signing|^(attestation_object|authorization_id|body|content|endpoint|headers|html|parent|raw_base_config|relates_to|request|slug|state|subject|upload_signature|value|variables)$/

export const isHiddenSchema = (schema: string): boolean => schema.startsWith('pg_') || HIDDEN.has(schema)

export const isManagedSchema = (schema: string): boolean => MANAGED.has(schema)

/** Returns whether the values of a column never leave the server. Columns of the project are its own. */
export const isSecretColumn = (schema: string, column: string): boolean => MANAGED.has(schema) && SECRET.test(column)
