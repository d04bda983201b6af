import { statfs } from 'node:fs/promises'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { createPasswordHasher, createTotpSecret, matchTotp, totpUri } from '@holdfast/auth'
import { type Console, type Credentials, Invitations, loadConsole, type LogSource } from '@holdfast/console'
import type { Advice, Overview, PartHealth } from '@holdfast/protocol'
import { type Cluster, type Pool, sql } from '@holdfast/postgres'
import type { FunctionsService } from '@holdfast/functions'
import type { RestService } from '@holdfast/rest'
import type { RealtimeService } from '@holdfast/realtime'
import type { StorageService } from '@holdfast/storage'
import type { SyncService } from '@holdfast/sync'
import { createAdvisor, type Advisor } from '../advisors/advisor.ts'
import { jwtFacts } from '../advisors/jwt-facts.ts'
import type { AdviceContext } from '../advisors/lint.ts'
import { servesThisMachineOnly } from '../config/loopback.ts'
import { createOperatorSecrets } from '../config/operator-secrets.ts'
import { consoleApi } from '../gateway/console/console-api.ts'
import { RequestHistory } from '../gateway/metrics/request-history.ts'
import { VERSION } from '../version.ts'
import type { ResolvedJwtSecret } from '../config/jwt-secret.ts'
import type { Accounts } from './accounts.ts'
import { createApiCaller } from './call-api.ts'
import { createBackupSources } from './console-backups.ts'
import { createFunctionSources } from './console-functions.ts'
import { createJobSources } from './console-jobs.ts'
import { createMigrationSources } from './console-migrations.ts'
import { createKeySources, createSettingSources, createSignInSources } from './console-settings.ts'
import { createSqlSessions } from './console-sql.ts'
import { createProjectChanges, openTableSessions, readSyncStates } from './console-tables.ts'
import type { PartContext } from './part-context.ts'

/** Connections of the console. A page reads several things at once. */
const CONSOLE_CONNECTIONS_MAX = 4

/** bcrypt cost of operators' passwords: about 0.2 s. */
const PASSWORD_COST = 12

/** Sign-in attempts per 5 minutes from an address, and for an account. */
const ATTEMPTS_PER_ADDRESS_MAX = 60
const ATTEMPTS_PER_ACCOUNT_MAX = 10
const ATTEMPTS_WINDOW_S = 300

/** Servers of tests keep no log. */
const NO_LOGS: LogSource = { dropped: 0, search: async () => ({ entries: [] }) }

export interface ConsoleParts {
  /** Receives the console's calls of this server's APIs. */
  readonly app: FastifyInstance
  readonly cluster: Cluster
  readonly accounts: Accounts
  readonly baseUrl: string
  readonly port: number
  /** Connects as the superuser. */
  readonly url: string
  /** Connects as `authenticator`. */
  readonly requestUrl: string
  /** The secret of operators' passwords is derived from it. */
  readonly jwtSecret: ResolvedJwtSecret
  readonly services: {
    readonly sync: SyncService
    readonly rest: RestService
    readonly functions: FunctionsService | undefined
    readonly storage: StorageService | undefined
    readonly realtime: RealtimeService | undefined
  }
}

export interface ConsolePart {
  /** Receives every request, for the overview. */
  readonly history: RequestHistory
  readonly routes: FastifyPluginAsync
  /** Creates the link of the first operator; `undefined` once there is one, or if other machines reach this server. */
  createFirstLink(): Promise<string | undefined>
}

/** Opens the console; `undefined` if it is off. */
export function openConsolePart(context: PartContext, parts: ConsoleParts): ConsolePart | undefined {
  const { config, clock, logger, openPool } = context
  if (!config.console) return undefined
  const { app, accounts, baseUrl, url, jwtSecret } = parts
  const { functions } = parts.services
  const history = new RequestHistory(clock.now)
  const pool = openPool({ url, applicationName: 'holdfast console', connectionsMax: CONSOLE_CONNECTIONS_MAX })
  const advisor = createAdvisor(pool, () => adviceContext(context, parts), clock)
  const openTableSession = openTableSessions(context, parts)
  const changes = createProjectChanges(context, parts.cluster)
  const backups = createBackupSources(context, pool)
  let loading: Promise<Console> | undefined
  const load = (): Promise<Console> =>
    (loading ??= loadConsole().then(({ openConsole }) =>
      openConsole({
        pool,
        credentials: createCredentials(context, accounts, jwtSecret.text),
        overview: {
          readOverview: () => readOverview(context, pool, parts, advisor),
          readHistory: (hours) => history.read(hours),
        },
        devices: parts.services.sync.devices,
        logs: context.logs ?? NO_LOGS,
        readAdvice: advisor,
        callApi: createApiCaller(app, accounts.auth.apiKeys.serviceRole),
        ...(functions && {
          functions: createFunctionSources(context, { functions, accounts, baseUrl, port: parts.port }),
        }),
        realtime: parts.services.realtime,
        storage: parts.services.storage && { ...parts.services.storage.abilities, publicUrl: baseUrl },
        settings: createSettingSources(context),
        signIn: createSignInSources(accounts),
        migrations: createMigrationSources(context, pool),
        backups,
        keys: createKeySources(context, accounts),
        openSqlSession: createSqlSessions(pool, parts),
        openTableSession,
        ...createJobSources(context, pool, accounts),
        changes,
        readSync: () => readSyncStates(parts.services.sync),
        readPlan: () => parts.services.sync.plan(),
        readSchemas: () => parts.services.rest.exposedSchemas(),
        projectName: config.projectName,
        clock,
        logger,
      }),
    ))
  return {
    history,
    routes: consoleApi({ load, isRemote: config.consoleRemote, isSecure: baseUrl.startsWith('https:'), logger }),
    async createFirstLink() {
      if (!servesThisMachineOnly(config)) return undefined
      const key = await new Invitations(pool).createFirst()
      return key === undefined ? undefined : `${baseUrl}/console/#key=${key}`
    },
  }
}

function createCredentials({ logger }: PartContext, { auth }: Accounts, secret: string): Credentials {
  const hasher = createPasswordHasher(PASSWORD_COST, logger)
  const common = { windowS: ATTEMPTS_WINDOW_S, isLoopbackExempt: () => false }
  const byAddress = auth.createRateLimiter({ ...common, name: 'operator address', attempts: ATTEMPTS_PER_ADDRESS_MAX })
  const byAccount = auth.createRateLimiter({ ...common, name: 'operator', attempts: ATTEMPTS_PER_ACCOUNT_MAX })
  const { pepper, seal, unseal } = createOperatorSecrets(secret)
  return {
    seal,
    unseal,
    hashPassword: (password) => hasher.hash(pepper(password)),
    verifyPassword: (password, hash) => hasher.verify(pepper(password), hash),
    createTotpSecret,
    totpUri,
    matchTotp,
    async takeAttempt(address, account) {
      await byAddress.take(address)
      await byAccount.take(address, account)
    },
  }
}

interface DatabaseRow {
  readonly version: string
  readonly bytes: number
  readonly connections: number
  readonly max: number
  readonly kept: number | null
  readonly log: number | null
}

async function readOverview(
  { config, logger }: PartContext,
  pool: Pool,
  { cluster, services }: ConsoleParts,
  readAdvice: Advisor,
): Promise<Overview> {
  const status = services.sync.status()
  const [database, { advice }, disk] = await Promise.all([
    readDatabase(pool),
    readAdvice(),
    config.databaseUrl === undefined
      ? statfs(config.dataDir).catch((error: unknown) => {
          logger.log('warn', 'the free space of the data folder is unknown', { error: String(error) })
          return undefined
        })
      : undefined,
  ])
  const { applied, refused: rejected, repeated } = status.uploads
  return {
    version: VERSION,
    startedAtMs: Date.now() - process.uptime() * 1_000,
    parts: [
      { name: 'database', state: cluster.isUp() ? 'ok' : 'down' },
      {
        name: 'sync',
        state: status.refused ? 'down' : status.standby ? 'standby' : status.ready ? 'ok' : 'preparing',
        ...(status.problem !== undefined && { detail: status.problem }),
      },
      ...(['storage', 'realtime', 'functions'] as const).map((name): PartHealth => ({
        name,
        state: services[name] ? 'ok' : 'off',
      })),
    ],
    devices: { connected: status.connections, users: status.users },
    sync: {
      lagSeconds: status.lagSeconds,
      uploads: { applied, rejected, repeated },
      ...(database.kept !== null && { slotKeptBytes: database.kept }),
      ...(database.log !== null && { logBytes: database.log }),
    },
    database: {
      version: database.version,
      bytes: database.bytes,
      connections: database.connections,
      connectionsMax: database.max,
    },
    ...(disk && { disk: { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize } }),
    memory: { residentBytes: process.memoryUsage().rss },
    advice: countAdvice(advice),
    warnings: [
      ...(status.problem === undefined
        ? []
        : [{ message: status.problem, action: 'Run "holdfast sync status" for details.' }]),
      ...(status.floods === undefined
        ? []
        : [{ message: status.floods, action: 'Look at the named users, and at the policies of the named tables.' }]),
    ],
  }
}

function countAdvice(advice: readonly Advice[]): Overview['advice'] {
  const count = (level: Advice['level']): number => advice.filter((one) => one.level === level).length
  return { errors: count('error'), warnings: count('warning'), infos: count('info') }
}

function adviceContext({ config }: PartContext, { services, jwtSecret }: ConsoleParts): AdviceContext {
  const refused = services.sync.plan()?.refused
  return {
    exposedSchemas: services.rest.exposedSchemas(),
    jwt: jwtFacts(jwtSecret.signing, config.jwtExpiry),
    refused: refused?.map(({ schema, name, policy, reason }) => ({
      table: `${schema}.${name}`,
      reason,
      ...(policy !== undefined && { policy }),
    })),
  }
}

async function readDatabase(pool: Pool): Promise<DatabaseRow> {
  const [row] = await pool.query<DatabaseRow>(sql`
    select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
           (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
           current_setting('max_connections')::int as max,
           (select max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn))::float8 from pg_replication_slots
             where database = current_database()) as kept,
           (select sum(pg_total_relation_size(c.oid))::float8 from pg_class c
             where c.relnamespace = to_regnamespace('sync') and c.relkind in ('r', 'p')) as log`)
  if (!row) throw new Error('Postgres returned no row for a query without a table')
  return row
}
