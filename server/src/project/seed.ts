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
  /** Applied earlier, and changed since: they are not applied again. */
  readonly changed: readonly string[]
  /** Patterns that no file matches. */
  readonly unmatched: readonly string[]
}

/** Blanks and comments of lines, as in the file that `holdfast init` makes. */
const NO_STATEMENT = /^(?:\s|--[^\n]*(?:\n|$))*$/

/**
 * Applies the seed files that the database's record does not have, each in a transaction together with its record. One without a
 * statement is left for when it has some.
 *
 * @param pool - connected as the role that projects act as
 * @throws {HoldfastError} those of {@link runFile}
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
