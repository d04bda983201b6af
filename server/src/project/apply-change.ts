import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { queryable, sql, type Pool } from '@holdfast/postgres'
import { ensureHistory, readHistory, whileLocked, type Client } from './history.ts'
import { keepPublished } from './publish-all-tables.ts'
import { recordOf, statementsOf } from './migrate.ts'

export interface ChangeOptions {
  readonly name: string
  readonly sql: string
  /** Folder of migrations into which the change is written; `undefined` writes none. */
  readonly folder: string | undefined
  readonly lockTimeoutMs: number
  readonly timeoutMs: number
}

/** Returns whether migrations can be written into a folder. */
export function stateOfFolder(folder: string): 'writable' | 'missing' | 'read_only' {
  if (!existsSync(folder)) return 'missing'
  try {
    accessSync(folder, constants.W_OK)
    return 'writable'
  } catch {
    return 'read_only'
  }
}

/**
 * Runs statements in one transaction, and writes them as a migration that is recorded as applied. The lock of migrations keeps a server that follows the folder
 * from applying the file too.
 *
 * @param pool - connected as the project's role
 * @returns the path of the migration
 * @throws errors of Postgres and of writing; then nothing was changed
 */
export async function applyChange(pool: Pool, options: ChangeOptions): Promise<string | undefined> {
  const { folder, lockTimeoutMs, timeoutMs } = options
  return await pool.withClient((client) =>
    whileLocked(client, async () => {
      let path: string | undefined
      await client.query('begin')
      try {
        await queryable(client).query(
          sql`select set_config('lock_timeout', ${String(lockTimeoutMs)}, true), set_config('statement_timeout', ${String(timeoutMs)}, true)`,
        )
        await client.query(options.sql)
        if (folder !== undefined) path = await record(client, folder, options)
        await client.query('commit')
      } catch (error) {
        await client.query('rollback').catch(() => undefined) // a lost connection has no transaction
        // A file that is not in the database would be applied at the next start.
        if (path !== undefined) rmSync(path, { force: true })
        throw error
      }
      await keepPublished(queryable(client))
      return path === undefined ? undefined : relative(process.cwd(), path)
    }),
  )
}

/** Records the statements as the newest migration and writes its file. */
async function record(client: Client, folder: string, { name, sql: text }: ChangeOptions): Promise<string> {
  await ensureHistory(client)
  const last = (await readHistory(queryable(client))).at(-1) ?? ''
  const version = versionAfter(last, new Date())
  const path = join(folder, `${version}_${name}.sql`)
  await queryable(client).query(recordOf(version, name, await statementsOf(text, path)))
  try {
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    throw new HoldfastError('migration_unwritable', 409, `${path} cannot be written, so nothing was changed.`, {
      cause: error,
    })
  }
  return path
}

/**
 * Returns a version of now that comes after the last one, as migrations are ordered by their versions' texts.
 *
 * @param last - empty without a migration
 */
export function versionAfter(last: string, now: Date): string {
  for (let at = now; ; at = new Date(at.getTime() + 1_000)) {
    const version = at.toISOString().slice(0, 19).replaceAll(/\D/g, '')
    if (version > last) return version
    // A version that no date reaches, such as "9999": longer texts with the same beginning come after it.
    if (at.getTime() > now.getTime() + DAY_MS) return `${last}${version}`
  }
}

const DAY_MS = 86_400_000
