import { relative } from 'node:path'
import type { OpenTableSession, ProjectChanges, ReadSyncStates } from '@holdfast/console'
import { type Cluster, type Pool, withOwnSettings } from '@holdfast/postgres'
import type { MigrationFolderState } from '@holdfast/protocol'
import type { SyncService } from '@holdfast/sync'
import { applyChange, stateOfFolder } from '../project/apply-change.ts'
import type { Accounts } from './accounts.ts'
import type { PartContext } from './part-context.ts'

/** Connections for rows: as the project's role, and as users. */
const ROWS_CONNECTIONS_MAX = 3

/** Reads and changes rows as the project's role, or as `authenticator` with the role and claims of a request. Every statement is the console's own. */
export function openTableSessions(
  { openPool }: PartContext,
  {
    cluster,
    accounts,
    requestUrl,
  }: { readonly cluster: Cluster; readonly accounts: Accounts; readonly requestUrl: string },
): OpenTableSession {
  const openRows = (url: string, applicationName: string): Pool =>
    openPool({ url, applicationName, connectionsMax: ROWS_CONNECTIONS_MAX, resetAfterTransaction: true })
  const project = openRows(withOwnSettings(cluster.adminUrl, cluster.serverVersion), 'holdfast console rows')
  const users = openRows(requestUrl, 'holdfast console rows as users')
  return async (as) => {
    if (as.kind === 'postgres') return { connections: project }
    const claims = as.kind === 'user' ? await accounts.auth.claimsOfUser(as.id) : { role: 'anon' }
    return claims && { connections: users, session: { role: String(claims.role ?? 'anon'), claims: { ...claims } } }
  }
}

/** Returns which tables sync and why others do not, as of the last compilation of policies. */
export function readSyncStates(sync: SyncService): ReturnType<ReadSyncStates> {
  const plan = sync.plan()
  return { isKnown: plan !== undefined, synced: plan?.tables ?? [], refused: plan?.refused ?? [] }
}

/** Returns how the console changes the project's tables: as its role, and as migrations where the folder can be written. */
export function createProjectChanges({ config, openPool }: PartContext, cluster: Cluster): ProjectChanges {
  const pool = openPool({
    url: withOwnSettings(cluster.adminUrl, cluster.serverVersion),
    applicationName: 'holdfast console changes',
    connectionsMax: 1,
    resetAfterTransaction: true,
  })
  const { migrationsDir, projectMigrations } = config
  const readFolder = async (): Promise<MigrationFolderState> => ({
    folder: relative(process.cwd(), migrationsDir),
    state: projectMigrations ? stateOfFolder(migrationsDir) : 'off',
  })
  return {
    readFolder,
    async apply({ writesFile, ...change }) {
      const file = await applyChange(pool, { ...change, folder: writesFile ? migrationsDir : undefined })
      return file === undefined ? {} : { file }
    },
  }
}
