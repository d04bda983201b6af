import type { ApiKeys } from '@holdfast/auth'
import type { Clock, Logger, Phases } from '@holdfast/foundation'
import type { Cluster } from '@holdfast/postgres'
import type { Config } from './config/options.ts'
import type { ProjectPreparation } from './project/reset-request.ts'

/** A link to the welcome screen, and what its key is for. */
export interface Welcome {
  readonly url: string
  /** `sample`: signs in once as the sample's supervisor. `owner`: creates the first workspace and its owner. */
  readonly kind: 'sample' | 'owner'
}

/** A running server and what a developer needs to use it. */
export interface Holdfast extends AsyncDisposable {
  /** Without trailing slash. */
  readonly baseUrl: string
  /** Its port. */
  readonly port: number
  /** Port of Postgres. */
  readonly databasePort: number
  /** Connects to Postgres as the role that projects act as. */
  readonly adminUrl: string
  readonly apiKeys: ApiKeys
  /** Credentials with which S3 clients act as `service_role`; `undefined` if the S3 endpoint is off. */
  readonly s3:
    | {
        readonly endpoint: string
        readonly region: string
        readonly accessKeyId: string
        readonly secretAccessKey: string
      }
    | undefined
  readonly jwtSecret: string
  /** Where captured messages are read; `undefined` when they are not. */
  readonly mailboxUrl: string | undefined
  /** Where the docs are shown, if they are. */
  readonly docsUrl: string | undefined
  readonly hasSample: boolean
  /** Where the first user begins; `undefined` once a workspace exists. */
  readonly welcome: Welcome | undefined
  /** Whether the sample was made by this start. */
  readonly seeded: boolean
}

export interface OpenHoldfastOptions {
  readonly config: Config
  readonly logger: Logger
  /** Gets a line for every request. Default: none. */
  readonly requestLog?: Logger | undefined
  readonly clock: Clock
  /** Told each step, for a person who waits. */
  readonly progress: (line: string) => void
  /** Cancels between two steps. */
  readonly signal: AbortSignal
  /** How to apply the project to the database. Default: completely. */
  readonly preparation?: ProjectPreparation
  /** Told why the project could not be put into the database, which is served as it is then. Default: opening fails. */
  readonly onProjectProblem?: (error: unknown) => void
}

/** The resources that exist before the services: a free port, and Postgres. */
export interface Ground {
  readonly port: number
  readonly cluster: Cluster
  /** Timings of the whole start. */
  readonly phases: Phases
}
