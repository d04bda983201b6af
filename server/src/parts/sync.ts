import { withOwnSettings, type Cluster, type Pool, type SharedPool } from '@holdfast/postgres'
import type { RestService } from '@holdfast/rest'
import { checkReplica, openSync, syncOptions, type SyncOptions, type SyncService } from '@holdfast/sync'
import { syncCallerReader } from '../gateway/authenticate.ts'
import type { OpenHoldfastOptions } from '../holdfast.ts'
import type { RoleUrls } from '../open-roles.ts'
import type { RequestShare } from '../request-shares.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'
import { optionsOf } from './service-options.ts'

/** Lifetime in seconds of an operator's permission to act as a user when inspecting their data. */
const INSPECTION_LIFETIME_S = 300

/** Longest delay in ms of "ready" by the initial copy of all tables, which continues afterwards. */
const SYNC_PATIENCE_MS = 15_000

/**
 * Checks the configured replica.
 *
 * @returns its URL with our own settings
 * @throws {HoldfastError} `replica_refused`, `replica_elsewhere`
 */
export async function prepareReplica(
  { config }: PartContext,
  { cluster, pool }: { readonly cluster: Cluster; readonly pool: Pool },
): Promise<string | undefined> {
  if (config.databaseReplicaUrl === undefined) return undefined
  const url = withOwnSettings(config.databaseReplicaUrl, cluster.serverVersion)
  await checkReplica(pool, url)
  return url
}

/** Opens sync, which immediately starts copying tables. */
export function openSyncPart(
  { config, logger, clock, opened }: PartContext,
  given: {
    /** Superuser URL with our own settings. */
    readonly url: string
    readonly replicaUrl: string | undefined
    readonly roles: RoleUrls
    readonly shares: SharedPool<RequestShare>
    readonly policies: Pick<SyncOptions, 'compile' | 'prepare' | 'readWrites'>
    readonly exposedSchemas: RestService['exposedSchemas']
    readonly accounts: Accounts
    readonly findHiddenTables: SyncOptions['findHiddenTables']
    /** Channels' subscription to the same stream. */
    readonly channels: Pick<SyncOptions, 'alsoPublished' | 'tap'>
  },
): SyncService {
  const { shares, accounts } = given
  return opened.use(
    openSync({
      url: given.url,
      replicaUrl: given.replicaUrl,
      shares: { streams: shares.share('streams'), uploads: shares.share('uploads') },
      exposedSchemas: given.exposedSchemas,
      ...given.roles,
      ...given.policies,
      ...given.channels,
      findHiddenTables: given.findHiddenTables,
      readCaller: syncCallerReader(accounts.auth.verifyToken, (claims) => accounts.sessions.require(claims)),
      watchSession: (claims, onEnded) => accounts.sessions.watch(claims, onEnded),
      findUser: (who) => accounts.auth.impersonate(who, INSPECTION_LIFETIME_S),
      options: optionsOf(config, syncOptions),
      logger,
      clock,
    }),
  )
}

/** Waits for the initial copy of all tables, up to a limit, because sync refuses devices until it is complete. */
export async function waitForSync(sync: SyncService, { signal, progress }: OpenHoldfastOptions): Promise<void> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(SYNC_PATIENCE_MS)])
  const begun = setTimeout(() => progress('copying tables for sync'), 300)
  await Promise.race([
    sync.settled,
    new Promise((resolve) => enough.addEventListener('abort', resolve, { once: true })),
  ])
  clearTimeout(begun)
  signal.throwIfAborted()
  if (sync.status().following) progress('another server on this database reads the changes; this one follows its log')
  else if (sync.status().standby) progress('another server on this database serves sync; this one follows it soon')
  else if (sync.status().refused) progress(`sync is off, everything else works: ${sync.status().problem}`)
  else if (!sync.status().ready)
    progress(`sync is not ready yet (${sync.status().problem ?? 'tables are being copied'}); everything else is`)
}
