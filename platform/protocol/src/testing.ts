/** Messages between `@holdfast/testing` and the server's test host: one JSON object per line, over a loopback socket. */

/** A user that a test starts with. */
export interface HostedUser {
  readonly id?: string
  readonly email: string
  readonly phone?: string
  readonly password: string
  readonly userMetadata?: Readonly<Record<string, unknown>>
  readonly appMetadata?: Readonly<Record<string, unknown>>
}

/** A server with a separate database. */
export interface HostedServer {
  /** Identifies it in later calls. */
  readonly server: string
  /** Its URL, without trailing slash. */
  readonly target: string
  /** Connects to its database as `postgres`. */
  readonly databaseUrl: string
  readonly anonKey: string
  readonly serviceRoleKey: string
  readonly publishableKey: string
  readonly secretKey: string
  readonly jwtSecret: string
  /** Ids of the users, in the requested order. */
  readonly userIds: readonly string[]
}

/** Calls with their input and output. */
export interface HostCalls {
  /** First call of a connection. */
  hello: { readonly in: { readonly token: string }; readonly out: { readonly version: string } }
  open: {
    readonly in: {
      /** Whether the host's folder has migrations and seeds to apply. */
      readonly hasProject: boolean
      /** Settings by their names in `holdfast.config.json`. */
      readonly options: Readonly<Record<string, unknown>>
      readonly users: readonly HostedUser[]
      /** URL at which clients reach it. */
      readonly externalUrl: string
    }
    readonly out: HostedServer
  }
  /** Restores the database to its state after `open`, and reopens the server. */
  reset: { readonly in: { readonly server: string }; readonly out: HostedServer }
  /** Advances the server's clock. */
  advance: { readonly in: { readonly server: string; readonly ms: number }; readonly out: null }
  query: {
    readonly in: { readonly server: string; readonly text: string; readonly values: readonly unknown[] }
    readonly out: { readonly rows: readonly Readonly<Record<string, unknown>>[] }
  }
  log: { readonly in: { readonly server: string }; readonly out: { readonly text: string } }
  close: { readonly in: { readonly server: string }; readonly out: null }
}

export type HostCallName = keyof HostCalls

export interface HostRequest<T extends HostCallName = HostCallName> {
  readonly id: number
  readonly call: T
  readonly with: HostCalls[T]['in']
}

export interface HostProblem {
  readonly code: string
  readonly message: string
  readonly detail?: string | undefined
  readonly hint?: string | undefined
}

export type HostAnswer = { readonly id: number } & ({ readonly result: unknown } | { readonly problem: HostProblem })

/** Note in the host's folder that allows clients to find it. */
export interface HostNote {
  readonly pid: number
  readonly port: number
  /** Required for connecting; protected by file permissions. */
  readonly token: string
  readonly version: string
}
