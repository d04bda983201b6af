import type { FunctionDefinition } from './project/discover.ts'

/** Project information passed to functions. */
export interface ProjectAccess {
  /** Without trailing slash. */
  readonly baseUrl: string
  readonly anonKey: string
  readonly serviceRoleKey: string
  readonly publishableKey: string
  readonly secretKey: string
  /** Database URL for functions; `undefined` if unavailable. */
  readonly databaseUrl: () => Promise<string | undefined>
  /** Public keys that verify user tokens. */
  readonly jwks: () => unknown
}

/** Returns a function's environment, apart from variables that Deno needs. Contains none of the server's own variables. */
export async function environmentOf(
  access: ProjectAccess,
  secrets: Readonly<Record<string, string>>,
  { name }: FunctionDefinition,
  executionId: string,
): Promise<Readonly<Record<string, string>>> {
  const databaseUrl = await access.databaseUrl()
  return {
    ...secrets,
    SUPABASE_URL: access.baseUrl,
    SUPABASE_ANON_KEY: access.anonKey,
    SUPABASE_SERVICE_ROLE_KEY: access.serviceRoleKey,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: access.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: access.secretKey }),
    ...(databaseUrl === undefined ? {} : { SUPABASE_DB_URL: databaseUrl }),
    SUPABASE_JWKS: JSON.stringify(access.jwks()),
    SB_REGION: 'local',
    SB_EXECUTION_ID: executionId,
    DENO_REGION: 'local',
    DENO_DEPLOYMENT_ID: name,
  }
}
