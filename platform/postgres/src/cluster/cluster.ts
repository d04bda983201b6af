/** A running Postgres: our own child, or somebody else's server. */
export interface Cluster extends AsyncDisposable {
  readonly kind: 'embedded' | 'external'
  /** Connects as the superuser (embedded) or as the user that was configured (external). Contains a password. */
  readonly adminUrl: string
  /** Connects as role `authenticator`, under which every statement of a person runs. Contains a password. */
  readonly requestUrl: string
  readonly databasePort: number
  /** False from the moment our Postgres died, or another one did not answer a probe, until it accepts connections again. */
  isUp(): boolean
  /** Calls `listener` each time Postgres accepts connections again after it had died. @returns stops the calls */
  onRestart(listener: () => void): () => void
}

/** Name of the database that holds the project, as in Supabase. */
export const DATABASE_NAME = 'postgres'

/** Superuser of the embedded cluster, as in Supabase. */
export const SUPERUSER = 'postgres'

/** The role that request pools log in as. Made by `0001_roles.sql`. */
export const REQUEST_ROLE = 'authenticator'
