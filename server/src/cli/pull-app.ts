import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'
import { quoteLiteral, sql, type Pool } from '@holdfast/postgres'
import { migrationDeclarations } from '../config/options.ts'
import { readHistory } from '../project/history.ts'
import { recordMigration } from '../project/migrate.ts'
import type { MigrationFile } from '../project/migration-files.ts'
import { withProjectPool } from './apply-pending.ts'
import { readSettings, type CommandInput } from './command.ts'

const NAME = 'app_changes'

/** A row of `holdfast_private.table_changes` without a file. */
interface AppChange {
  readonly id: string
  readonly workspaceId: string
  readonly workspace: string
  readonly tableName: string
  readonly kind: string
  readonly statements: string
  readonly madeAt: Date
}

/** Consecutive changes, between two migrations of the project. */
interface ChangeGroup {
  readonly version: string
  readonly changes: readonly AppChange[]
}

/**
 * `holdfast migration pull-app`: writes the changes that owners and admins made to tables in the app as migrations, and records them as applied.
 *
 * @returns the exit code
 * @throws {HoldfastError} `app_table_unrecorded`, and errors of opening the database
 */
export async function pullAppChanges(input: CommandInput): Promise<number> {
  const config = readSettings(migrationDeclarations, input)
  const files = await withProjectPool(config, (pool) => writeAppChanges(pool, config.migrationsDir))
  input.out(
    config.json
      ? `${JSON.stringify({ created: files.map(({ path }) => path) })}\n`
      : files.length === 0
        ? 'The app has changed no tables since the last pull.\n'
        : files.map(({ path }) => `Created ${relative(process.cwd(), path)}, which the database has.\n`).join(''),
  )
  return 0
}

/**
 * Writes the changes that have no file yet.
 *
 * @param pool - connected as the project's role
 * @returns the files
 * @throws {HoldfastError} `app_table_unrecorded`
 */
export async function writeAppChanges(pool: Pool, folder: string): Promise<readonly MigrationFile[]> {
  await refuseUnrecorded(pool)
  const written: MigrationFile[] = []
  for (const group of groupChanges(await readChanges(pool), await readHistory(pool)))
    written.push(await writeGroup(pool, folder, group))
  return written
}

function readChanges(pool: Pool): Promise<readonly AppChange[]> {
  return pool.query<AppChange>(sql`
    select c.id::text, c.workspace_id as "workspaceId", coalesce(w.name, 'Workspace') as workspace, c.table_name as "tableName", c.kind, c.statements,
           c.made_at as "madeAt"
      from holdfast_private.table_changes c left join holdfast.workspaces w on w.id = c.workspace_id
     where c.pulled_as is null order by c.id`)
}

/** Tables that were made before their creation was recorded would be missing in a database made from the files. */
async function refuseUnrecorded(pool: Pool): Promise<void> {
  const tables = await pool.query<{ name: string }>(sql`
    select t.table_name as name from holdfast.tables t
     where t.workspace_id is not null and t.schema_name = 'public' and to_regclass(format('public.%I', t.table_name)) is not null
       and t.table_name in (select c.table_name from holdfast_private.table_changes c where c.pulled_as is null)
       and not exists (select from holdfast_private.table_changes c where c.table_name = t.table_name and c.kind = 'create_table')
       and not exists (select from holdfast_private.table_changes c where c.kind = 'duplicate_table' and strpos(c.statements, format('create table public.%I ', t.table_name)) > 0)
     order by 1`)
  if (tables.length > 0)
    throw new HoldfastError('app_table_unrecorded', 500, 'The creation of these tables was not recorded.', {
      detail: tables.map(({ name }) => name).join('\n'),
      hint: 'Write their definitions from "holdfast db dump" into a migration.',
    })
}

/**
 * Groups changes so that each file comes after the migrations that were applied before its changes. A version is the time of the group's last change, in UTC.
 *
 * @param changes - oldest first
 * @param applied - versions, oldest first
 */
function groupChanges(changes: readonly AppChange[], applied: readonly string[]): readonly ChangeGroup[] {
  const groups: { version: string; changes: AppChange[] }[] = []
  const taken = new Set(applied)
  for (const change of changes) {
    const at = stamp(change.madeAt)
    const last = groups.at(-1)
    if (last && !applied.some((version) => version > stamp(lastOf(last.changes)) && version <= at))
      last.changes.push(change)
    else groups.push({ version: '', changes: [change] })
  }
  for (const group of groups) {
    let at = lastOf(group.changes)
    while (taken.has(stamp(at))) at = new Date(at.getTime() + 1_000)
    group.version = stamp(at)
    taken.add(group.version)
  }
  return groups
}

function lastOf(changes: readonly AppChange[]): Date {
  return changes.at(-1)?.madeAt ?? new Date(0)
}

function stamp(at: Date): string {
  return at.toISOString().slice(0, 19).replaceAll(/\D/g, '')
}

async function writeGroup(pool: Pool, folder: string, group: ChangeGroup): Promise<MigrationFile> {
  const file = { version: group.version, name: NAME, path: join(folder, `${group.version}_${NAME}.sql`) }
  const text = renderGroup(group)
  const ids = group.changes.map(({ id }) => id)
  await recordMigration(
    pool,
    { ...file, text },
    () => {
      mkdirSync(folder, { recursive: true })
      writeFileSync(file.path, text, { flag: 'wx' })
    },
    sql`update holdfast_private.table_changes set pulled_as = ${group.version} where id = any (${ids}::bigint[])`,
  )
  return file
}

/** Renders changes as a migration. It makes the workspaces that own the tables where they are missing, because tables name them. */
function renderGroup({ changes }: ChangeGroup): string {
  const workspaces = new Map(changes.map(({ workspaceId, workspace }) => [workspaceId, workspace]))
  return [
    '-- Changes that owners and admins made in the app.',
    "select set_config('holdfast.recorded', 'on', true);",
    ...[...workspaces].map(
      ([id, name]) =>
        `insert into holdfast.workspaces (id, name) values (${quoteLiteral(id)}, ${quoteLiteral(name)}) on conflict do nothing;`,
    ),
    ...changes.map(
      ({ kind, tableName, madeAt, statements }) =>
        `\n-- ${kind} ${tableName}, ${madeAt.toISOString()}\n${statements.trimEnd()}`,
    ),
    '',
  ].join('\n')
}
