import type { ApiKeys } from '@holdfast/auth'
import type { Clock, Logger, Phases } from '@holdfast/foundation'
import type { Cluster } from '@holdfast/postgres'
import type { SettingOrigins } from './config/load-config.ts'
import type { Config } from './config/options.ts'
import type { LogStore } from './logs/log-store.ts'
import type { ProjectPreparation } from './project/reset-request.ts'

/** A link to the welcome screen, and the purpose of its key. */
export interface Welcome {
  readonly url: string
  /** `sample`: signs in once as the sample's supervisor. `owner`: creates the first workspace and its owner. */
  readonly kind: 'sample' | 'owner'
}

/** A running server and what a developer needs to use it. */
export interface Holdfast extends AsyncDisposable {
  /** URL without trailing slash. */
  readonly baseUrl: string
  /** Its port. */
  readonly port: number
  /** Port of Postgres. */
  readonly databasePort: number
  /** Connects to Postgres as the project's role. */
  readonly adminUrl: string
  readonly apiKeys: ApiKeys
  /** Credentials of S3 clients that act as `service_role`; `undefined` if the S3 endpoint is off. */
  readonly s3:
    | {
        readonly endpoint: string
        readonly region: string
        readonly accessKeyId: string
        readonly secretAccessKey: string
      }
    | undefined
  readonly jwtSecret: string
  /** URL of captured messages; `undefined` if they are not shown. */
  readonly mailboxUrl: string | undefined
  /** URL of the docs, if shown. */
  readonly docsUrl: string | undefined
  readonly hasSample: boolean
  /** Link for the first user; `undefined` once a workspace exists. */
  readonly welcome: Welcome | undefined
  /** Link for the console's first operator; `undefined` once there is one, or if the console is off. */
  readonly consoleUrl: string | undefined
  /** Whether this start created the sample. */
  readonly seeded: boolean
}

export interface OpenHoldfastOptions {
  readonly config: Config
  /** Where the settings were set, for the console. Default: by the program that opens the server. */
  readonly origins?: SettingOrigins
  readonly logger: Logger
  /** The log that the console searches; its loggers also write to `logger`. Default: none. */
  readonly logs?: LogStore | undefined
  /** Logs a line per request. Default: none. */
  readonly requestLog?: Logger | undefined
  readonly clock: Clock
  /** Called with each step, for a waiting user. */
  readonly progress: (line: string) => void
  /** Cancels opening between two steps. */
  readonly signal: AbortSignal
  /** How to apply the project to the database. Default: completely. */
  readonly preparation?: ProjectPreparation
  /** Called if the project could not be applied; the database is then served as it is. Default: opening fails. */
  readonly onProjectProblem?: (error: unknown) => void
}

/** Resources opened before the services: a free port and Postgres. */
export interface Ground {
  readonly port: number
  readonly cluster: Cluster
  /** Timings of the whole start. */
  readonly phases: Phases
}
