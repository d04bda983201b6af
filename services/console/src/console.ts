import { includesRole } from '@holdfast/protocol'
import { HoldfastError, type Clock, type Logger } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { AuditLog, type AuditEntry } from './audit-log.ts'
import type { CallApi } from './call-api.ts'
import { noSuchRoute, notSignedIn, roleTooLow, secondFactorRequired } from './errors.ts'
import type { Credentials } from './operators/credentials.ts'
import { Invitations } from './operators/invitations.ts'
import { Operators } from './operators/operators.ts'
import { Sessions, type SessionState } from './operators/sessions.ts'
import { checkInput } from './routing/check-input.ts'
import { findRoute, type FoundRoute } from './routing/find-route.ts'
import type { ConsoleAnswer, ConsoleRequest, Route } from './routing/route.ts'
import { adviceRoutes, type ReadAdvice } from './routes/advice.ts'
import { auditRoutes } from './routes/audit.ts'
import { backupRoutes, type BackupSources } from './routes/backups.ts'
import { deviceRoutes, type DeviceSources } from './routes/devices.ts'
import { functionRoutes, type FunctionSources } from './routes/functions.ts'
import { fileChangeRoutes } from './routes/file-changes.ts'
import { fileRoutes, type FileSources } from './routes/files.ts'
import { keyRoutes, type KeySources } from './routes/keys.ts'
import { logRoutes, type LogSource } from './routes/logs.ts'
import { jobRoutes, type JobSources } from './routes/jobs.ts'
import { type CapturedMails, mailboxRoutes } from './routes/mailbox.ts'
import { migrationRoutes, type MigrationSources } from './routes/migrations.ts'
import { operatorRoutes } from './routes/operators.ts'
import { overviewRoutes, type OverviewSources } from './routes/overview.ts'
import { policyRoutes } from './routes/policies.ts'
import { queueRoutes } from './routes/queues.ts'
import { profileRoutes } from './routes/profile.ts'
import { type ChannelSources, realtimeRoutes } from './routes/realtime.ts'
import { sessionRoutes } from './routes/session.ts'
import { settingRoutes, type SettingSources } from './routes/settings.ts'
import { signInSettingRoutes, type SignInSources } from './routes/sign-in-settings.ts'
import { type OpenSqlSession, sqlRoutes } from './routes/sql.ts'
import { sqlQueryRoutes } from './routes/sql-queries.ts'
import { tableChangeRoutes } from './routes/table-changes.ts'
import { tableRoutes } from './routes/tables.ts'
import type { ReadPlan } from './policies/policy-sync.ts'
import type { ProjectChanges } from './tables/apply-change.ts'
import { userRoutes } from './routes/users.ts'
import { webhookRoutes, type WebhookSources } from './routes/webhooks.ts'
import { createSqlRunner } from './sql/run-sql.ts'
import { SavedQueries } from './sql/saved-queries.ts'
import { SqlHistory } from './sql/sql-history.ts'
import type { ReadSyncStates } from './tables/list-tables.ts'
import type { OpenTableSession } from './tables/table-session.ts'

export interface OpenConsoleOptions {
  /** Connects as the owner of schema `holdfast_console`, and reads schema `auth`. Stays open when the console closes. */
  readonly pool: Pool
  readonly credentials: Credentials
  readonly overview: OverviewSources
  readonly devices: DeviceSources
  readonly logs: LogSource
  readonly readAdvice: ReadAdvice
  /** Calls the APIs of this server with the service key. */
  readonly callApi: CallApi
  /** Missing if functions are off. */
  readonly functions?: FunctionSources
  /** `undefined` while channels are off. */
  readonly realtime: ChannelSources | undefined
  /** `undefined` while file storage is off. */
  readonly storage: FileSources | undefined
  readonly jobs: JobSources
  readonly webhooks: WebhookSources
  /** Missing if mails are sent. */
  readonly captured?: CapturedMails
  readonly settings: SettingSources
  readonly signIn: SignInSources
  readonly migrations: MigrationSources
  readonly backups: BackupSources
  readonly keys: KeySources
  readonly openSqlSession: OpenSqlSession
  readonly openTableSession: OpenTableSession
  readonly changes: ProjectChanges
  readonly readSync: ReadSyncStates
  readonly readPlan: ReadPlan
  /** Schemas whose tables sync. */
  readonly readSchemas: () => readonly string[]
  /** Shown in authenticator apps and page titles. */
  readonly projectName: string
  readonly clock: Clock
  readonly logger: Logger
}

/** A request that may run: its route exists, and its session has the route's role. */
export interface PermittedRequest extends FoundRoute {
  readonly session: SessionState
}

export interface Console {
  /** All routes, for tests and docs. */
  readonly routes: readonly Route[]
  /**
   * Finds the route of a request and checks its session, before the body is read. The only authorization check of the console.
   *
   * @throws {HoldfastError} `no_such_route`, `not_signed_in`, `second_factor_required`, `role_too_low`
   */
  permit(request: Pick<ConsoleRequest, 'method' | 'path' | 'sessionKey'>): Promise<PermittedRequest>
  /** Runs a permitted request and logs its action. @throws {HoldfastError} refusals of the route */
  run(permitted: PermittedRequest, request: ConsoleRequest): Promise<ConsoleAnswer>
}

/** Opens the API of the console. */
export function openConsole(options: OpenConsoleOptions): Console {
  const { pool, logger } = options
  const operators = new Operators(pool)
  const sessions = new Sessions(pool)
  const invitations = new Invitations(pool)
  const audit = new AuditLog(pool)
  const routes = createRoutes(options, { operators, sessions, invitations, audit })

  return {
    routes,
    async permit({ method, path, sessionKey }) {
      const found = findRoute(routes, method, path)
      const session = await sessions.read(sessionKey)
      requireAccess(found, session)
      return { ...found, session }
    },
    async run({ route, parameters, session }, request) {
      let noted: Partial<Pick<AuditEntry, 'operator' | 'target' | 'before' | 'after'>> = {}
      const log = async (error?: string): Promise<void> => {
        if (route.action === undefined) return
        const operator = noted.operator ?? (session.state === 'none' ? undefined : session.operator)
        const { address, id: requestId } = request
        await audit.add({
          ...noted,
          operator,
          action: route.action,
          address,
          requestId,
          ...(error !== undefined && { error }),
        })
      }
      try {
        const answered = await route.run({
          request,
          parameters,
          session,
          query: checkInput(route.querySchema, request.query, 'query'),
          body: checkInput(route.bodySchema, request.body ?? {}, 'body'),
          note: (entry) => void (noted = { ...noted, ...entry }),
          logger,
        })
        await log()
        return answered
      } catch (error) {
        await log(error instanceof HoldfastError ? error.message : 'The action failed.')
        throw error
      }
    },
  }
}

/** What the console opens for its routes. */
interface Accounts {
  readonly operators: Operators
  readonly sessions: Sessions
  readonly invitations: Invitations
  readonly audit: AuditLog
}

function createRoutes(
  options: OpenConsoleOptions,
  { operators, sessions, invitations, audit }: Accounts,
): readonly Route[] {
  const { pool, credentials, clock, logger, projectName, changes, openSqlSession } = options
  const { openTableSession: openSession, readSync, readPlan, readSchemas } = options
  const files = { pool, callApi: options.callApi, storage: options.storage }
  return [
    ...sessionRoutes({ operators, sessions, invitations, credentials, clock, projectName }),
    ...profileRoutes({ operators, sessions, credentials, clock, projectName }),
    ...operatorRoutes({ operators, sessions, invitations }),
    ...auditRoutes(audit),
    ...overviewRoutes(options.overview),
    ...adviceRoutes(options.readAdvice),
    ...settingRoutes(options.settings),
    ...signInSettingRoutes(options.signIn),
    ...migrationRoutes(options.migrations),
    ...backupRoutes(options.backups),
    ...keyRoutes({ operators, credentials, callApi: options.callApi, keys: options.keys }),
    ...userRoutes({ pool, callApi: options.callApi }),
    ...deviceRoutes({ pool, devices: options.devices }),
    ...functionRoutes(options.functions),
    ...logRoutes({ pool, logs: options.logs }),
    ...jobRoutes({ openSession: options.openTableSession, jobs: options.jobs, clock }),
    ...webhookRoutes(options.openTableSession, options.webhooks),
    ...queueRoutes(options.openTableSession),
    ...mailboxRoutes(pool, options.captured),
    ...sqlRoutes(pool, createSqlRunner(pool, logger), options.openSqlSession),
    ...sqlQueryRoutes(new SqlHistory(pool), new SavedQueries(pool)),
    ...tableChangeRoutes({ pool, changes, openSession, openSqlSession }),
    ...realtimeRoutes({ pool, callApi: options.callApi, openSession, realtime: options.realtime }),
    ...fileRoutes(files),
    ...fileChangeRoutes(files),
    ...tableRoutes({ pool, openSession, readSync }),
    ...policyRoutes({ pool, openSession, readSync, readPlan, readSchemas, changes, openSqlSession }),
  ]
}

function requireAccess(found: FoundRoute | undefined, session: SessionState): asserts found is FoundRoute {
  // Unknown paths are reported only to operators, so that others cannot explore the API.
  if (!found) throw session.state === 'complete' ? noSuchRoute() : notSignedIn()
  const { access } = found.route
  if (access === 'open') return
  if (session.state === 'none') throw notSignedIn()
  if (access === 'incomplete') return
  if (session.state === 'incomplete') throw secondFactorRequired()
  if (!includesRole(session.operator.role, access)) throw roleTooLow(access)
}
