import type { FunctionDefinition } from './project/discover.ts'

/** What functions are told of the project that they belong to. */
export interface ProjectAccess {
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly anonKey: string
  readonly serviceRoleKey: string
  readonly publishableKey: string
  readonly secretKey: string
  /** How functions log in to the database; `undefined` if they cannot. */
  readonly databaseUrl: () => Promise<string | undefined>
  /** The public keys that verify tokens of people. */
  readonly jwks: () => unknown
}

/** The whole environment of a function beside what Deno needs. Nothing of the server's own is in it. */
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
