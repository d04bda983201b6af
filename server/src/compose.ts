import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { authOptions, hashPassword, openAuth, openLiveSessions } from '@holdfast/auth'
import { createPhases, type OptionDeclarations, type OptionValues } from '@holdfast/foundation'
import { createHttpServer, parseTrustProxy } from '@holdfast/http'
import {
  applyMigrations,
  createPool,
  recordRequestPassword,
  sharePool,
  sql,
  SQLSTATE,
  sqlstateOf,
  watchCatalog,
  withOwnSettings,
  type Catalog,
  type CatalogWatch,
  type Cluster,
  type Pool,
} from '@holdfast/postgres'
import {
  createPlanCompiler,
  installKeyFunctions,
  type PolicyInput,
  readPolicyInput,
  type ReadingMemory,
} from '@holdfast/policy'
import { openRest, restOptions } from '@holdfast/rest'
import { keyDemandOf, openStorage, storageOptions } from '@holdfast/storage'
import { openSync, syncOptions, type SyncService } from '@holdfast/sync'
import { resolveJwtSecret } from './config/jwt-secret.ts'
import { requireLoopbackForSample } from './config/loopback.ts'
import type { Config } from './config/options.ts'
import { closeGateway, listenOn, mountGateway } from './gateway/gateway.ts'
import type { Ground, Holdfast, OpenHoldfastOptions } from './holdfast.ts'
import { MIGRATIONS } from './migrations.ts'
import { openRoles } from './open-roles.ts'
import { requestShares } from './request-shares.ts'
import { SAMPLE_PASSWORD, sampleAccounts } from './sample/accounts.ts'
import { seedSample } from './sample/seed.ts'
import { watchSchemas } from './watch-schemas.ts'

/** Where `npm run build` puts the app. */
const APP_DIRECTORY = fileURLToPath(new URL('../../apps/workspace/dist/', import.meta.url))

/** Connections of the superuser's pool, for migrations and what a plan prepares. */
const INTERNAL_CONNECTIONS_MAX = 5

/** Connections that read the catalog. */
const CATALOG_CONNECTIONS_MAX = 2

/** Connections of the accounts service: sign-in, sessions, administration. */
const AUTH_CONNECTIONS_MAX = 20

/** A transaction that nobody goes on with, because we hang or are gone, gives its locks back. */
const REQUEST_SETTINGS = { idle_in_transaction_session_timeout: '60s' }

/** Seconds that an operator who looks at what somebody has may act as them. */
const INSPECTION_LIFETIME_S = 300

/**
 * Opens everything else on a running Postgres, in the order in which data flows, and closes all of it in reverse, Postgres last. The only place that knows all
 * parts.
 */
export async function composeHoldfast(options: OpenHoldfastOptions, ground: Ground): Promise<Holdfast> {
  const { config, logger, clock, progress, signal } = options
  const { port, phases } = ground
  await using opened = new AsyncDisposableStack()
  const cluster = opened.use(ground.cluster)
  const trustProxy = parseTrustProxy(config.trustProxy)
  const baseUrl = (config.externalUrl ?? `http://${urlHost(config.host)}:${port}`).replace(/\/+$/, '')
  signal.throwIfAborted()
  const onPoolError = (error: Error): void => logger.log('debug', 'an idle connection broke', { error: error.message })
  const open = (url: string, applicationName: string, connectionsMax: number): Pool =>
    opened.use(createPool({ url, applicationName, connectionsMax, onError: onPoolError }))
  const pool = open(withOwnSettings(cluster.internalUrl), 'holdfast', INTERNAL_CONNECTIONS_MAX)
  const applied = await applyMigrations({
    pool,
    sources: MIGRATIONS,
    logger,
  })
  if (applied.length > 0) progress(`applied ${applied.length} migrations`)
  phases.end('migrations')
  const roles = await openRoles(pool, cluster, logger)
  phases.end('roles')
  signal.throwIfAborted()
  if (config.sample) progress('preparing the sample')
  const { seeded } = config.sample ? await seedAsProject(cluster, options) : { seeded: false }
  const hasSample = await isSampleThere(pool)
  requireLoopbackForSample(config, hasSample)
  signal.throwIfAborted()

  phases.end('sample')
  // Not as the superuser: what a statement finds by name there may be the project's.
  const readerUrl = withOwnSettings(roles.readerUrl)
  const catalogPool = open(readerUrl, 'holdfast catalog', CATALOG_CONNECTIONS_MAX)
  const catalog = opened.use(await watchCatalog({ url: readerUrl, pool: catalogPool, logger }))
  phases.end('catalog')
  const requestPool = opened.use(
    createPool({
      url: roles.requestUrl,
      applicationName: 'holdfast request',
      connectionsMax: config.requestConnectionsMax,
      resetAfterTransaction: true,
      settings: REQUEST_SETTINGS,
      roleSettings: (role) => catalog.current().roles.find(({ name }) => name === role)?.settings ?? {},
      onError: onPoolError,
    }),
  )
  const shares = sharePool(requestPool, requestShares(config))
  // Made before the services and closed after them: what they answer last still reaches its client.
  const app = createHttpServer({
    logger,
    trustProxy,
    bodyPatience: {
      silenceMs: config.requestBodySilenceSeconds * 1_000,
      rateMin: config.requestBodyRateMin,
      totalMs: config.requestBodySeconds * 1_000,
      slowPerAddressMax: config.slowBodiesPerAddressMax,
    },
    bodyMemoryBytesMax: config.requestBodyMemoryMax * 1024 * 1024,
  })
  opened.defer(() => closeGateway(app))

  const jwtSecret = resolveJwtSecret(config.jwtSecret, config.dataDir, logger)
  const authPool = open(roles.authUrl, 'holdfast auth', AUTH_CONNECTIONS_MAX)
  const auth = opened.use(
    await openAuth({
      pool: authPool,
      jwtSecret,
      baseUrl,
      projectName: config.projectName,
      options: {
        ...pick(config, authOptions),
        rateLimitLoopbackExempt: hasSample && config.rateLimitLoopbackExempt,
      },
      logger,
      clock,
    }),
  )
  const sessions = opened.use(
    await openLiveSessions({
      url: roles.authUrl,
      pool: authPool,
      isThirdParty: (claims) => auth.isThirdParty(claims),
      clock,
      logger,
    }),
  )
  const rest = opened.use(
    await openRest({
      share: shares.share('rest'),
      catalog,
      options: pick(config, restOptions),
      url: `${baseUrl}/rest/v1/`,
      logger,
    }),
  )
  const storage = config.storageEnabled
    ? opened.use(
        await openStorage({
          share: shares.share('storage'),
          folder: join(config.dataDir, 'storage'),
          jwtSecret: jwtSecret.text,
          options: pick(config, storageOptions),
          logger,
          clock,
        }),
      )
    : undefined
  phases.end('services')
  const compilerPool = opened.use(
    createPool({
      url: readerUrl,
      applicationName: 'holdfast compiler',
      connectionsMax: 1,
      resetAfterTransaction: true,
      onError: onPoolError,
    }),
  )
  const compiler = createPlanCompiler()
  const memory: ReadingMemory = {}
  const sync = opened.use(
    openSync({
      url: cluster.internalUrl,
      shares: { streams: shares.share('streams'), uploads: shares.share('uploads') },
      exposedSchemas: rest.exposedSchemas,
      ...roles,
      // The catalog may be older than the change that made this compilation necessary.
      compile: async (stopping) => {
        const compiling = createPhases()
        const readInput = (schemas: readonly string[]): Promise<PolicyInput> =>
          readPolicyInput(compilerPool, { schemas, signal: stopping, memory })
        const known = rest.exposedSchemas(catalog.current())
        // Both at once: the schemas are nearly always those that were known.
        const [refreshed, read] = await Promise.all([refreshUnlessLocked(catalog), readInput(known)])
        const schemas = refreshed ? rest.exposedSchemas(refreshed) : known
        const input = isDeepStrictEqual(schemas, known) ? read : await readInput(schemas)
        compiling.end('input')
        const plan = await compiler.compile(input, stopping)
        compiling.end('plan')
        compiling.log(logger, 'policies were compiled in these phases')
        return refreshed ? plan : { ...plan, isPartial: true }
      },
      prepare: (plan) => installKeyFunctions({ pool, compilerPool }, plan, memory),
      watchSession: (claims, onEnded) => sessions.watch(claims, onEnded),
      findPerson: (who) => auth.impersonate(who, INSPECTION_LIFETIME_S),
      options: pick(config, syncOptions),
      logger,
      clock,
    }),
  )
  const schemas = opened.use(
    watchSchemas({
      pool,
      sources: MIGRATIONS,
      async rebuild() {
        await applyMigrations({ pool, sources: MIGRATIONS, logger })
        await recordRequestPassword(pool, roles.requestUrl)
        await catalog.refresh()
      },
      logger,
      clock,
    }),
  )
  await mountGateway(app, {
    auth: auth.routes,
    authDiscovery: auth.discovery,
    rest: rest.routes,
    storage: storage && { routes: storage.routes, keyDemandOf },
    sync: sync.routes,
    verifyToken: auth.verifyToken,
    verifyAdminToken: auth.verifyAdminToken,
    requireSession: (claims) => sessions.require(claims),
    restRequiresSession: config.restSessionCheck,
    allowsNoKey: config.allowRequestsWithoutKey,
    anonymousRole: rest.anonymousRole,
    corsOrigins: config.corsOrigins,
    isDatabaseUp: cluster.isUp,
    health: () => ({
      database: cluster.isUp() ? 'up' : 'down',
      sync: sync.status().standby ? 'standby' : sync.status().ready ? 'ready' : 'preparing',
      rowsRead: sync.status().filling?.rows,
      problem: [sync.status().problem, schemas.problem, sync.status().floods].filter(Boolean).join('; ') || undefined,
    }),
    config: {
      projectName: config.projectName,
      anonKey: auth.apiKeys.anon,
      sample: hasSample
        ? {
            password: SAMPLE_PASSWORD,
            accounts: sampleAccounts.map(({ email, name, what }) => ({ email, name, role: what })),
          }
        : undefined,
      account: {
        password: { lengthMin: config.minimumPasswordLength, requirements: config.passwordRequirements },
        codeDigits: {
          email: config.emailOtpLength,
          phone: config.smsOtpLength,
          phoneFactor: config.mfaPhoneOtpLength,
        },
        isEmailChangeConfirmedTwice: config.emailDoubleConfirmChanges,
        hasManualLinking: config.enableManualLinking,
        factors: {
          totp: config.mfaTotpEnrollEnabled,
          phone: config.mfaPhoneEnrollEnabled,
          webauthn: config.mfaWebAuthnEnrollEnabled,
          recoveryCodes: config.mfaRecoveryCodesEnrollEnabled,
        },
      },
    },
    appDirectory: APP_DIRECTORY,
    logger,
  })
  signal.throwIfAborted()
  await listenOn(app, config.host, port)
  phases.end('listening')
  await waitForSync(sync, options)
  phases.end('sync')
  phases.log(logger, 'opened in phases')

  const lifetime = opened.move()
  return {
    baseUrl,
    adminUrl: cluster.adminUrl,
    apiKeys: auth.apiKeys,
    jwtSecret: jwtSecret.text,
    hasSample,
    seeded,
    [Symbol.asyncDispose]: () => lifetime.disposeAsync(),
  }
}

/** The sample is a project like any other. */
async function seedAsProject(
  cluster: Cluster,
  { logger, clock }: OpenHoldfastOptions,
): Promise<{ readonly seeded: boolean }> {
  await using pool = createPool({ url: cluster.adminUrl, applicationName: 'holdfast sample', connectionsMax: 2 })
  return await seedSample({ pool, logger, clock, hashPassword })
}

async function isSampleThere(pool: Pool): Promise<boolean> {
  return (await pool.query(sql`select from holdfast.settings where key = 'sample'`)).length > 0
}

/** Milliseconds that the first copy of all tables may hold back "ready". It goes on behind it. */
const SYNC_PATIENCE_MS = 15_000

/** Devices that come before the first copy is made are told to wait; whoever reads "ready" should not have to. */
async function waitForSync(sync: SyncService, { signal, progress }: OpenHoldfastOptions): Promise<void> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(SYNC_PATIENCE_MS)])
  const begun = setTimeout(() => progress('copying tables for sync'), 300)
  await Promise.race([
    sync.settled,
    new Promise((resolve) => enough.addEventListener('abort', resolve, { once: true })),
  ])
  clearTimeout(begun)
  signal.throwIfAborted()
  if (sync.status().standby)
    progress('another server on this database serves sync; this one takes over when it is gone')
  else if (!sync.status().ready)
    progress(`sync is not ready yet (${sync.status().problem ?? 'tables are being copied'}); everything else is`)
}

/** The part of the settings that one service declares. */
function pick<T extends OptionDeclarations>(config: Config, declarations: T): OptionValues<T> {
  const values = config as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.keys(declarations).map((name) => [name, values[name]])) as unknown as OptionValues<T>
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** How long the catalog is waited for before policies are compiled, in milliseconds: nobody's checkpoints wait for a table that a user has locked. */
const CATALOG_LOCK_TIMEOUT_MS = 300

/** @returns `undefined` while a table is locked that the catalog cannot be read without */
async function refreshUnlessLocked(catalog: CatalogWatch): Promise<Catalog | undefined> {
  try {
    return await catalog.refresh({ lockTimeoutMs: CATALOG_LOCK_TIMEOUT_MS })
  } catch (error) {
    if (sqlstateOf(error) === SQLSTATE.lockNotAvailable) return undefined
    throw error
  }
}
