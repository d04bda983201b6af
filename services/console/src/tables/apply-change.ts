import type { AppliedTableChange, MigrationFolderState, TableChange, TableChangePlan } from '@holdfast/protocol'
import { splitStatements } from '@holdfast/policy'
import { sql, sqlstateOf, type Pool } from '@holdfast/postgres'
import { invalidRequest, planChanged, queryRefused, tableReadOnly } from '../errors.ts'
import { CHANGE_LOCK_TIMEOUT_MS, CHANGE_TIMEOUT_MS } from '../limits.ts'
import { planChange } from './plan-change.ts'
import { rolledBack } from './rolled-back.ts'
import { isHiddenSchema, isManagedSchema } from './schemas.ts'
import { runAsIdentity, type OpenTableSession } from './table-session.ts'

/** Statements to run as the project's role, in one transaction. */
export interface ProjectChange {
  readonly name: string
  readonly sql: string
  /** Whether to write and record them as a migration of the project. */
  readonly writesFile: boolean
  readonly lockTimeoutMs: number
  readonly timeoutMs: number
}

/** The project's migrations, and changes of its database. */
export interface ProjectChanges {
  readFolder(): Promise<MigrationFolderState>
  /** @throws errors of Postgres, and of writing the file; then nothing was changed */
  apply(change: ProjectChange): Promise<AppliedTableChange>
}

export interface ChangeNeeds {
  /** Of the superuser; reads types only. */
  readonly pool: Pool
  readonly changes: ProjectChanges
  readonly openSession: OpenTableSession
}

/** Types that would hide the rest of a statement. Real type names have none of this outside quotes. */
const NO_TYPE = /--|\/\*|;/

/**
 * Plans a change: the statements as they will run.
 *
 * @throws {HoldfastError} `table_read_only`, `no_such_table`, `invalid_request` for types and expressions that are not one
 */
export async function prepareChange(
  { pool, changes, openSession }: ChangeNeeds,
  change: TableChange,
): Promise<TableChangePlan> {
  // Policies of Holdfast's tables, such as storage.objects, belong to the project. Postgres decides about the others.
  if (isHiddenSchema(change.schema) || (isManagedSchema(change.schema) && !isTried(change)))
    throw tableReadOnly(`The schema ${change.schema} belongs to Holdfast or Postgres.`)
  for (const type of typesOf(change)) await requireType(pool, type)
  const { statements, name, notes } = planChange(change)
  const text = `${statements.join('\n')}\n`
  const found = await splitStatements(text).catch((error: unknown) => {
    throw invalidRequest(
      `Postgres cannot read the statement: ${error instanceof Error ? error.message : String(error)}.`,
    )
  })
  // Postgres adds a label within a transaction; only its use has to wait for the commit.
  const isPlain = change.kind === 'add_label' || found.every(({ kind }) => kind === 'plain')
  if (found.length !== statements.length || !isPlain)
    throw invalidRequest('A default or condition is not a single SQL expression.')
  if (isTried(change))
    await rolledBack(
      (body) => runAsIdentity(openSession, { kind: 'postgres' }, { isReadOnly: false }, body),
      (tx) => tx.client.query(text),
    )
  return { sql: text, name, notes, migrations: await changes.readFolder() }
}

/** Whether Postgres tries a change when it is planned: a policy's condition is only checked by creating it, which takes a moment. */
export function isTried({ kind }: TableChange): boolean {
  return kind === 'create_policy' || kind === 'alter_policy' || kind === 'drop_policy'
}

/**
 * Applies a change whose statements the operator has seen.
 *
 * @throws {HoldfastError} `plan_changed` if they are not those of the change; `query_refused` with Postgres's message
 */
export async function applyChange(
  needs: ChangeNeeds,
  {
    change,
    sql: seen,
    writesFile,
  }: { readonly change: TableChange; readonly sql: string; readonly writesFile: boolean },
): Promise<AppliedTableChange> {
  const planned = await prepareChange(needs, change)
  if (planned.sql !== seen) throw planChanged()
  return await applyStatements(needs.changes, { name: planned.name, sql: planned.sql, writesFile })
}

/** Applies statements in one transaction. @throws {HoldfastError} `query_refused` with Postgres's message */
export async function applyStatements(
  changes: ProjectChanges,
  { name, sql: text, writesFile }: Pick<ProjectChange, 'name' | 'sql' | 'writesFile'>,
): Promise<AppliedTableChange> {
  try {
    return await changes.apply({
      name,
      sql: text,
      writesFile,
      lockTimeoutMs: CHANGE_LOCK_TIMEOUT_MS,
      timeoutMs: CHANGE_TIMEOUT_MS,
    })
  } catch (error) {
    throw sqlstateOf(error) === undefined ? error : queryRefused(error as Error)
  }
}

function typesOf(change: TableChange): readonly string[] {
  if (change.kind === 'create_table') return change.columns.map(({ type }) => type)
  if (change.kind === 'add_column') return [change.column.type]
  return change.kind === 'set_type' ? [change.type] : []
}

/** The name of a type alone, so that it cannot continue as another statement. Serial types are none, but Postgres accepts them for columns. */
async function requireType(pool: Pool, type: string): Promise<void> {
  if (/^(small|big)?serial$/i.test(type.trim())) return
  const isFound =
    !NO_TYPE.test(type) &&
    (await pool
      .transaction(async (tx) => {
        await tx.execute(sql`select set_config('search_path', 'public, extensions', true)`)
        const [row] = await tx.query<{ found: boolean }>(sql`select to_regtype(${type}) is not null as found`)
        return row?.found === true
      })
      .catch((error: unknown) => {
        if (sqlstateOf(error) === undefined) throw error
        return false // a syntax error
      }))
  if (!isFound) throw invalidRequest(`There is no type "${type}".`)
}
