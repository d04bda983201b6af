import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { queryable, sql, type Pool } from '@holdfast/postgres'
import type { DatabaseConfig } from './project-config.ts'
import { ensureHistory, whileLocked } from './history.ts'
import { readPsqlPieces } from './psql-pieces.ts'
import { readSqlFile, runFile } from './run-file.ts'

/** Result of applying seed files, by recorded name. */
export interface SeedReport {
  readonly applied: readonly string[]
  /** Applied before and changed since; not applied again. */
  readonly changed: readonly string[]
  /** Patterns without a matching file. */
  readonly unmatched: readonly string[]
}

/** Only whitespace and line comments, as in the file created by `holdfast init`. */
const NO_STATEMENT = /^(?:\s|--[^\n]*(?:\n|$))*$/

/**
 * Applies pending seed files, each in a transaction with its record. Skips files without statements, so that they are applied once they have some.
 *
 * @param pool - connected as the project's role
 * @throws {HoldfastError} errors of {@link runFile}
 */
export async function seedProject(pool: Pool, { folder, seedPatterns }: DatabaseConfig): Promise<SeedReport> {
  const found = seedPatterns.map((pattern) => ({
    pattern,
    names: globSync(pattern, { cwd: folder }).toSorted(),
  }))
  const unmatched = found.filter(({ names }) => names.length === 0).map(({ pattern }) => pattern)
  const names = [...new Set(found.flatMap((one) => one.names))]
  if (names.length === 0) return { applied: [], changed: [], unmatched }
  return await pool.withClient((client) =>
    whileLocked(client, async () => {
      await ensureHistory(client)
      const recorded = await queryable(client).query<{ path: string; hash: string }>(
        sql`select path, hash from supabase_migrations.seed_files`,
      )
      const hashes = new Map(recorded.map(({ path, hash }) => [path, hash]))
      const applied: string[] = []
      const changed: string[] = []
      for (const name of names) {
        // As recorded by Supabase's CLI: relative to the project folder.
        const key = join(basename(folder), name).replaceAll('\\', '/')
        const path = join(folder, name)
        const text = readSqlFile(path)
        const hash = createHash('sha256').update(text).digest('hex')
        if (hashes.has(key)) {
          if (hashes.get(key) !== hash) changed.push(key)
          continue
        }
        if (NO_STATEMENT.test(text)) continue
        const record = sql`insert into supabase_migrations.seed_files (path, hash) values (${key}, ${hash})`
        await runFile(client, { path, parts: readPsqlPieces(text, path), record })
        applied.push(key)
      }
      return { applied, changed, unmatched }
    }),
  )
}
