/** A running Postgres: a child process, or an external server. */
export interface Cluster extends AsyncDisposable {
  readonly kind: 'embedded' | 'external'
  /**
   * Public URL: connects as `postgres`, which owns the project and is not a superuser (embedded), or as the configured user (external). Contains a password.
   */
  readonly adminUrl: string
  /** Internal URL: connects as the superuser (embedded) or the configured user (external). Contains a password; never displayed. */
  readonly internalUrl: string
  /** Connects as `authenticator`, which runs all user statements. Contains a password. */
  readonly requestUrl: string
  /** URLs with other passwords the role may have: if one works, no password must be changed. Empty for an embedded cluster. */
  readonly otherRequestUrls: readonly string[]
  readonly databasePort: number
  /** `server_version_num` at opening, such as 180003. */
  readonly serverVersion: number
  /** False from the time Postgres died (embedded) or missed a probe (external) until it accepts connections again. */
  isUp(): boolean
  /** Calls `listener` each time Postgres accepts connections again. @returns unsubscribes */
  onRestart(listener: () => void): () => void
}

/** Name of the project database, as in Supabase. */
export const DATABASE_NAME = 'postgres'

/** Superuser of the embedded cluster, as in Supabase. Used only by Holdfast itself. */
export const SUPERUSER = 'supabase_admin'

/** The project's role in the embedded cluster, as in Supabase. */
export const PROJECT_ROLE = 'postgres'

/** Login role of request pools. Created by `0001_roles.sql`. */
export const REQUEST_ROLE = 'authenticator'
