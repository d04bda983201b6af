import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPool, GITIGNORE, sql, type Pool } from '@holdfast/postgres'
import { DERIVED_SYNC_TABLES } from '@holdfast/sync'
import { BACKUP_FILES, copyDataFiles } from './backup-folder.ts'
import { findClientTools, runClientTool } from './client-tools.ts'
import { restoreTargetTaken } from './errors.ts'

export interface ExternalBackupOptions {
  /** Database URL; its role can read everything. */
  readonly url: string
  /** Folder with client programs; default: searched. */
  readonly toolsFolder: string | undefined
  /** The backup's folder. */
  readonly folder: string
}

/** @returns the server's major version, such as 18 */
export function readExternalMajor(url: string): Promise<number> {
  return withPool(url, readServerMajor)
}

async function readServerMajor(pool: Pool): Promise<number> {
  const [row] = await pool.query<{ version: number }>(
    sql`select current_setting('server_version_num')::int / 10000 as version`,
  )
  return row?.version ?? 0
}

/**
 * Dumps an external database at one snapshot, with the roles in its grants. Excludes data derived by sync: it is rebuilt after restoring, so devices notice the
 * new log.
 *
 * @throws {HoldfastError} `postgres_tools_missing`, `postgres_tool_failed`
 */
export async function writeExternalBackup({ url, toolsFolder, folder }: ExternalBackupOptions): Promise<void> {
  const tools = findClientTools(await readExternalMajor(url), toolsFolder)
  const roles = join(folder, BACKUP_FILES.roles)
  const database = join(folder, BACKUP_FILES.database)
  // Created first, because the programs would make them world-readable.
  for (const file of [roles, database]) writeFileSync(file, '', { mode: 0o600 })
  await runClientTool(tools, 'pg_dumpall', url, ['--roles-only', '--no-role-passwords', `--file=${roles}`])
  await runClientTool(tools, 'pg_dump', url, [
    '--format=custom',
    ...DERIVED_SYNC_TABLES.map((table) => `--exclude-table-data=sync.${table}`),
    `--file=${database}`,
  ])
}

export interface ExternalRestoreOptions extends ExternalBackupOptions {
  /** Receives secrets and keys. Nonexistent, or empty except for `.gitignore`. */
  readonly dataDir: string
}

/**
 * Restores a dump atomically into a database without Holdfast and without tables in `public`.
 *
 * @throws {HoldfastError} `restore_target_taken`, `postgres_tools_missing`, `postgres_tool_failed`
 */
export async function restoreExternal({ url, toolsFolder, folder, dataDir }: ExternalRestoreOptions): Promise<void> {
  if (existsSync(dataDir) && readdirSync(dataDir).some((name) => name !== GITIGNORE)) throw restoreTargetTaken(dataDir)
  const major = await withPool(url, async (pool) => {
    const [row] = await pool.query<{ taken: boolean }>(sql`
      select exists (select from pg_catalog.pg_namespace where nspname in ('holdfast', 'auth', 'sync'))
          or exists (select from pg_catalog.pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')) as taken
    `)
    if (row?.taken) throw restoreTargetTaken(`The database at ${new URL(url).host}`)
    return readServerMajor(pool)
  })
  const tools = findClientTools(major, toolsFolder)
  // Roles are cluster-wide and may exist: psql continues after "already exists".
  await runClientTool(tools, 'psql', url, ['--no-psqlrc', '--quiet', `--file=${join(folder, BACKUP_FILES.roles)}`])
  await runClientTool(tools, 'pg_restore', url, [
    '--single-transaction',
    '--exit-on-error',
    join(folder, BACKUP_FILES.database),
  ])
  copyDataFiles(join(folder, BACKUP_FILES.data), dataDir)
}

async function withPool<T>(url: string, use: (pool: Pool) => Promise<T>): Promise<T> {
  await using pool = createPool({ url, applicationName: 'holdfast backup', connectionsMax: 1 })
  return await use(pool)
}
