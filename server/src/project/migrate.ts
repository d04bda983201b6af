import { HoldfastError } from '@holdfast/foundation'
import type { SqlStatement } from '@holdfast/policy'
import { queryable, sql, type Pool, type SqlFragment } from '@holdfast/postgres'
import { compareHistory } from './compare-history.ts'
import { triggerAsProject } from './event-triggers.ts'
import { ensureHistory, readHistory, whileLocked, type Client } from './history.ts'
import type { MigrationFile } from './migration-files.ts'
import { keepPublished, publishAsProject } from './publish-all-tables.ts'
import { readPsqlPieces } from './psql-pieces.ts'
import { type FilePart, readSqlFile, runFile } from './run-file.ts'

export interface MigrateProjectOptions {
  /** Connected as the project's role. */
  readonly pool: Pool
  readonly files: readonly MigrationFile[]
  /** Whether to apply files older than an applied migration. */
  readonly includesOlder: boolean
  /** Receives applied versions without a file. May throw. */
  readonly onMissing: (versions: readonly string[]) => void
  /** Called before each file is applied. */
  readonly onFile: (file: MigrationFile) => void
}

/**
 * Applies pending migrations, each in a transaction with its history record, as far as its statements allow.
 *
 * @returns the applied migrations
 * @throws {HoldfastError} `migration_out_of_order`, and errors of {@link runFile}
 */
export async function migrateProject(options: MigrateProjectOptions): Promise<readonly MigrationFile[]> {
  return await options.pool.withClient((client) =>
    whileLocked(client, async () => {
      const comparison = compareHistory(options.files, await readHistory(queryable(client)))
      if (comparison.missing.length > 0) options.onMissing(comparison.missing)
      if (comparison.pending.length === 0) return []
      if (comparison.outOfOrder.length > 0 && !options.includesOlder) throw outOfOrder(comparison.outOfOrder)
      await ensureHistory(client)
      for (const file of comparison.pending) {
        options.onFile(file)
        await applyOne(client, file)
      }
      await keepPublished(queryable(client))
      return comparison.pending
    }),
  )
}

/**
 * Records a migration whose definitions already exist and runs `keep` under the same lock, so that a server following the folder waits for both.
 *
 * @param pool - connected as the project's role
 * @param also - a statement in the same transaction
 */
export async function recordMigration(
  pool: Pool,
  { version, name, path, text }: MigrationFile & { readonly text: string },
  keep: () => void,
  also?: SqlFragment,
): Promise<void> {
  const statements = await statementsOf(text, path)
  await pool.withClient((client) =>
    whileLocked(client, async () => {
      await client.query('begin')
      try {
        await ensureHistory(client)
        await queryable(client).query(recordOf(version, name, statements))
        if (also) await queryable(client).query(also)
        keep()
        await client.query('commit')
      } catch (error) {
        await client.query('rollback').catch(() => undefined) // a lost connection has no transaction
        throw error
      }
    }),
  )
}

/** Renders the history record of a migration. */
export const recordOf = (
  version: string,
  name: string,
  statements: readonly Pick<SqlStatement, 'text'>[],
): SqlFragment => sql`
  insert into supabase_migrations.schema_migrations (version, name, statements)
  values (${version}, ${name}, ${statements.map((one) => one.text)}::text[])`

async function applyOne(client: Client, { version, name, path }: MigrationFile): Promise<void> {
  const recorded: Pick<SqlStatement, 'text'>[] = []
  const parts: FilePart[] = []
  for (const piece of readPsqlPieces(readSqlFile(path), path)) {
    if (piece.rows !== undefined) {
      recorded.push({ text: piece.text.trim() })
      parts.push(piece)
      continue
    }
    const statements = await statementsOf(piece.sql, path, piece.line)
    recorded.push(...statements)
    let [written, current] = [piece.sql, statements]
    for (const rewrite of [publishAsProject, triggerAsProject]) {
      const rewritten = await rewrite(queryable(client), written, current)
      if (rewritten !== written) current = await statementsOf(rewritten, path, piece.line)
      written = rewritten
    }
    parts.push(...partsOf(written, current))
  }
  await runFile(client, { path, parts, record: recordOf(version, name, recorded) })
}

/** Splits the text around statements that cannot run in a transaction, like Supabase's CLI. */
function partsOf(text: string, statements: readonly SqlStatement[]): readonly FilePart[] {
  const parts: FilePart[] = []
  let from = 0
  const add = (part: string, isAlone: boolean): void => void parts.push({ text: part, sql: part, isAlone })
  for (const { kind, start, text: statement } of statements) {
    if (kind !== 'runs alone') continue
    add(text.slice(from, start), false)
    add(statement, true)
    from = start + statement.length
  }
  add(text.slice(from), false)
  return parts
}

/** Splits a text into statements for the history. Text that our parser rejects counts as a single statement, and Postgres decides. */
export async function statementsOf(text: string, path: string, firstLine = 1): Promise<readonly SqlStatement[]> {
  const { splitStatements } = await import('@holdfast/policy')
  const statements = await splitStatements(text).catch((): readonly SqlStatement[] => [
    { text, kind: 'plain', line: 1, start: 0 },
  ])
  const input = statements.find(({ kind }) => kind === 'reads the input')
  if (input) {
    throw new HoldfastError(
      'project_sql_failed',
      500,
      `${path}, line ${firstLine + input.line - 1}: COPY has no input here.`,
      {
        hint: 'Use INSERT, or load the rows with psql.',
      },
    )
  }
  return statements
}

function outOfOrder(files: readonly MigrationFile[]): HoldfastError {
  return new HoldfastError('migration_out_of_order', 500, 'Migrations are older than what is applied already.', {
    detail: files.map(({ path }) => path).join('\n'),
    hint: 'Give them later versions, or apply them with "holdfast migration up --include-all".',
  })
}
