/** What `@holdfast/testing` and the test host of the server say to each other: one JSON object a line, over a socket of the loopback. */

/** A user that a test wants to have from the start. */
export interface HostedUser {
  readonly id?: string
  readonly email: string
  readonly phone?: string
  readonly password: string
  readonly userMetadata?: Readonly<Record<string, unknown>>
  readonly appMetadata?: Readonly<Record<string, unknown>>
}

/** A server on a database of its own. */
export interface HostedServer {
  /** Names it in further calls. */
  readonly server: string
  /** Where it listens, without a slash at the end. */
  readonly target: string
  /** Connects to its database as `postgres`. */
  readonly databaseUrl: string
  readonly anonKey: string
  readonly serviceRoleKey: string
  readonly publishableKey: string
  readonly secretKey: string
  readonly jwtSecret: string
  /** Ids of the users, in their order. */
  readonly userIds: readonly string[]
}

/** What is called, with what goes in and comes out. */
export interface HostCalls {
  /** The first call of a connection. */
  hello: { readonly in: { readonly token: string }; readonly out: { readonly version: string } }
  open: {
    readonly in: {
      /** Whether the host's folder has migrations and seeds to apply. */
      readonly hasProject: boolean
      /** Settings by their names in `holdfast.config.json`. */
      readonly options: Readonly<Record<string, unknown>>
      readonly users: readonly HostedUser[]
      /** Under which clients reach it. */
      readonly externalUrl: string
    }
    readonly out: HostedServer
  }
  /** Puts the database back to what it was after `open`, and opens the server again. */
  reset: { readonly in: { readonly server: string }; readonly out: HostedServer }
  /** Moves the clock of the server. */
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

/** What the host leaves in its folder for those who look for it. */
export interface HostNote {
  readonly pid: number
  readonly port: number
  /** Whoever can read the file may connect. */
  readonly token: string
  readonly version: string
}
