/** A running Postgres: our own child, or another person's server. */
export interface Cluster extends AsyncDisposable {
  readonly kind: 'embedded' | 'external'
  /**
   * The address that people are told: connects as `postgres`, which owns the project and is no superuser (embedded), or as the configured user (external).
   * Contains a password.
   */
  readonly adminUrl: string
  /** For Holdfast itself: connects as the superuser (embedded) or as the configured user (external). Contains a password, and is never shown. */
  readonly internalUrl: string
  /** Connects as role `authenticator`, under which every statement of a person runs. Contains a password. */
  readonly requestUrl: string
  /** The same with further passwords that the role may have: with one that works, no other login has to change. Empty for an embedded cluster. */
  readonly otherRequestUrls: readonly string[]
  readonly databasePort: number
  /** `server_version_num` when it was opened, such as 180003. */
  readonly serverVersion: number
  /** False from the moment our Postgres died, or another one did not answer a probe, until it accepts connections again. */
  isUp(): boolean
  /** Calls `listener` each time Postgres accepts connections again after it had died. @returns stops the calls */
  onRestart(listener: () => void): () => void
}

/** Name of the database that holds the project, as in Supabase. */
export const DATABASE_NAME = 'postgres'

/** Superuser of the embedded cluster, as in Supabase. Only Holdfast itself logs in as it. */
export const SUPERUSER = 'supabase_admin'

/** The role that projects act as in the embedded cluster, as in Supabase. */
export const PROJECT_ROLE = 'postgres'

/** The role that request pools log in as. Made by `0001_roles.sql`. */
export const REQUEST_ROLE = 'authenticator'
