import { parseTrustProxy } from '@holdfast/http'
import { type Cluster, withOwnSettings } from '@holdfast/postgres'
import { createChangeTap } from '@holdfast/replication'
import type { StorageService } from '@holdfast/storage'
import type { SyncService } from '@holdfast/sync'
import { baseUrlOf } from './config/base-url.ts'
import { type ResolvedJwtSecret, resolveJwtSecret } from './config/jwt-secret.ts'
import type { Config } from './config/options.ts'
import { listenOn } from './gateway/gateway.ts'
import type { Ground, Holdfast, OpenHoldfastOptions } from './holdfast.ts'
import { type Accounts, openAccounts } from './parts/accounts.ts'
import { openAutomationsPart } from './parts/automations.ts'
import { openCatalog } from './parts/catalog.ts'
import { openChannels } from './parts/channels.ts'
import { openConsolePart } from './parts/console.ts'
import { createDatabaseCalls } from './parts/database-calls.ts'
import { openDigests } from './parts/digests.ts'
import { openFiles } from './parts/files.ts'
import { openFunctionsPart } from './parts/functions.ts'
import { openGateway } from './parts/gateway.ts'
import { openHttpServer } from './parts/http-server.ts'
import { openForms } from './parts/forms.ts'
import { openInvitations } from './parts/invitations.ts'
import { createPartContext } from './parts/part-context.ts'
import { openPolicyCompiler } from './parts/policies.ts'
import { openPush } from './parts/push.ts'
import { openRequestConnections } from './parts/request-connections.ts'
import { openRestPart } from './parts/rest.ts'
import { openSchemaWatch } from './parts/schemas.ts'
import { openSyncPart, prepareReplica, waitForSync } from './parts/sync.ts'
import { openTelemetry } from './parts/telemetry.ts'
import { createWelcome, openWorkspaces } from './parts/workspaces.ts'
import { findTablesOfOthers } from './workspaces/tables-of-others.ts'
import { prepareDatabase } from './prepare-database.ts'

/** Connections of the superuser's pool, for migrations and what a plan prepares. */
const INTERNAL_CONNECTIONS_MAX = 5

/**
 * Opens everything else on a running Postgres, in the order in which data flows, and closes all of it in reverse, Postgres last. The only place that knows all
 * parts; what a part is opened with stands in its file in `parts/`.
 */
export async function composeHoldfast(options: OpenHoldfastOptions, ground: Ground): Promise<Holdfast> {
  const { config, logger, signal } = options
  const { port, phases } = ground
  await using opened = new AsyncDisposableStack()
  const cluster = opened.use(ground.cluster)
  const trustProxy = parseTrustProxy(config.trustProxy)
  const baseUrl = baseUrlOf(config, port)
  signal.throwIfAborted()

  const context = createPartContext(options, opened)
  const url = withOwnSettings(cluster.internalUrl, cluster.serverVersion)
  const pool = context.openPool({ url, applicationName: 'holdfast', connectionsMax: INTERNAL_CONNECTIONS_MAX })
  const { roles, sample } = await prepareDatabase({ cluster, pool, phases }, options)
  const { hasSample, seeded } = sample
  const { readerUrl, requestUrl } = roles
  const calls = createDatabaseCalls()
  const jwtSecret = resolveJwtSecret(config.jwtSecret, config.dataDir, logger)
  const openingAccounts = openAccounts(context.as('auth'), { authUrl: roles.authUrl, jwtSecret, baseUrl, hasSample })
  const [catalog, accounts] = await openTogether(openCatalog(context, readerUrl, calls.channels), openingAccounts)
  phases.end('catalog')
  const shares = openRequestConnections(context, { requestUrl, catalog })
  const app = openHttpServer(context, trustProxy)
  const rest = await openRestPart(context.as('rest'), { share: shares.share('rest'), catalog, baseUrl })
  const files = { share: shares.share('storage'), pool, readerUrl, jwtSecret: jwtSecret.text, accounts }
  const storage = await openFiles(context.as('storage'), files)
  const tap = createChangeTap(context.as('sync').logger)
  // Requests come later than sync is opened.
  const state = stateOf(() => sync)
  const channels = { accounts, url, share: shares.share('realtime'), pool, tap, roles, ...state }
  const realtime = await openChannels(context.as('realtime'), channels)
  const functions = openFunctionsPart(context.as('functions'), { accounts, baseUrl, pool, requestUrl, hasSample })
  phases.end('services')
  const policies = openPolicyCompiler(context, { pool, readerUrl, catalog, exposedSchemas: rest.exposedSchemas })
  const replicaUrl = await prepareReplica(context, { cluster, pool })
  const sync = openSyncPart(context.as('sync'), {
    url,
    replicaUrl,
    roles,
    shares,
    policies,
    exposedSchemas: rest.exposedSchemas,
    accounts,
    findHiddenTables: (userId) => findTablesOfOthers(pool, userId),
    channels: { tap, ...(realtime ? { alsoPublished: realtime.publishedTables } : {}) },
  })
  const push = openPush(context, { url, share: shares.share('push'), catalog, accounts, baseUrl, port })
  const workspaces = openWorkspaces(context, { cluster, accounts, secret: jwtSecret.text, shares })
  const invitations = openInvitations(context, { cluster, accounts, baseUrl })
  const forms = openForms(context, { cluster, share: shares.share('forms'), accounts, secret: jwtSecret.text, app })
  const mailed = { cluster, pool, share: shares.share('digests'), catalog, accounts, baseUrl, secret: jwtSecret.text }
  const digests = openDigests(context, mailed)
  const automations = await openAutomationsPart(context, { cluster, shares, accounts, baseUrl, port })
  const schemas = openSchemaWatch(context, { pool, requestUrl, catalog })

  const services = { rest, storage, realtime, functions, sync }
  const addresses = { baseUrl, port, url, requestUrl, jwtSecret }
  const operators = openConsolePart(context, { app, cluster, accounts, services, ...addresses })
  const parts = { schemas, push, workspaces, invitations, forms, automations, digests, operators, hasSample }
  const gateway = await openGateway(app, context, { cluster, accounts, ...services, ...parts })
  signal.throwIfAborted()
  await listenOn(app, config.host, port)
  await openTelemetry(context, port, gateway.readMetrics)
  phases.end('listening')
  await Promise.all([
    waitForSync(sync, options),
    sample.storePictures((request) => app.inject(request), accounts.auth.apiKeys.serviceRole),
  ])
  phases.end('sync')
  calls.open(context, { url, cluster, baseUrl, port, push, invitations, digests, automations })
  phases.log(logger, 'opened in phases')

  const welcome = await createWelcome(accounts, workspaces, { baseUrl, hasSample })
  const consoleUrl = await operators?.createFirstLink()

  const lifetime = opened.move()
  return {
    ...addressesOf(config, { baseUrl, port, cluster, accounts, storage, jwtSecret }),
    hasSample,
    welcome,
    consoleUrl,
    seeded,
    [Symbol.asyncDispose]: () => lifetime.disposeAsync(),
  }
}

/** What channels ask sync about the changes. */
function stateOf(sync: () => SyncService): Readonly<Record<'isStandby' | 'isReader' | 'isRefused', () => boolean>> {
  return {
    isStandby: () => sync().isStandby,
    isReader: () => !sync().isStandby && sync().status().ready,
    isRefused: () => sync().status().refused,
  }
}

/** Returns the addresses and keys that a start prints. */
function addressesOf(
  config: Config,
  given: {
    readonly baseUrl: string
    readonly port: number
    readonly cluster: Cluster
    readonly accounts: Accounts
    readonly storage: StorageService | undefined
    readonly jwtSecret: ResolvedJwtSecret
  },
): Omit<Holdfast, 'hasSample' | 'welcome' | 'consoleUrl' | 'seeded' | typeof Symbol.asyncDispose> {
  const { baseUrl, port, cluster, accounts, storage, jwtSecret } = given
  return {
    baseUrl,
    port,
    databasePort: cluster.databasePort,
    adminUrl: cluster.adminUrl,
    apiKeys: accounts.auth.apiKeys,
    s3: storage?.s3 && { ...storage.s3, endpoint: `${baseUrl}/storage/v1/s3` },
    jwtSecret: jwtSecret.text,
    docsUrl: config.docs ? `${baseUrl}/docs/` : undefined,
    mailboxUrl: accounts.auth.captured && config.mailbox ? `${baseUrl}/mailbox` : undefined,
  }
}

/** Opens two things concurrently, where one waits for Postgres. Waits for both even if one fails, because the other must be closed. */
async function openTogether<A, B>(first: Promise<A>, second: Promise<B>): Promise<readonly [A, B]> {
  await Promise.allSettled([first, second])
  return [await first, await second]
}
