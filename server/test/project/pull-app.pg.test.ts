import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { createPool, sql, type Pool } from '@holdfast/postgres'
import { syncMigrations } from '@holdfast/sync'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { writeAppChanges } from '../../src/cli/pull-app.ts'
import { migrateProject } from '../../src/project/migrate.ts'
import { listMigrationFiles } from '../../src/project/migration-files.ts'
import { OLGA, openChangeWorld, type ChangeWorld } from '../support/change-world.ts'

// What owners change in the app becomes migrations: this database has them already, and a fresh one gets the same tables from them.

const folder = mkdtempSync(join(tmpdir(), 'holdfast-pull-app-'))
let world: ChangeWorld
let fresh: TestDatabase
const pools: Pool[] = []

beforeAll(async () => {
  world = await openChangeWorld()
  fresh = await openTestDatabase({
    migrations: [
      authMigrations,
      syncMigrations,
      { name: 'server', directory: new URL('../../migrations/', import.meta.url) },
    ],
  })
  for (const { projectUrl } of [world.database, fresh])
    pools.push(createPool({ url: projectUrl, applicationName: 'test project', connectionsMax: 1 }))
})
afterAll(async () => {
  for (const pool of pools) await pool[Symbol.asyncDispose]()
  await fresh[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const migrate = async (pool: Pool | undefined): Promise<number> => {
  if (!pool) throw new Error('The databases are not open yet')
  const { files } = listMigrationFiles(folder)
  const steps = { pool, files, includesOlder: false, onMissing: () => undefined, onFile: () => undefined }
  return (await migrateProject(steps)).length
}
const pull = async (): Promise<number> => (pools[0] ? (await writeAppChanges(pools[0], folder)).length : Number.NaN)
const call = async (name: string, ...args: readonly unknown[]): Promise<void> => {
  const values = args.map((one) => (typeof one === 'string' ? sql`${one}` : sql`${JSON.stringify(one)}::jsonb`))
  await world.asked(OLGA, sql`select ${sql.identifier('holdfast', name)}(${world.workspace}, ${sql.join(values)})`)
}

/** Returns the shape of all tables that the workspace made: columns, constraints, indexes, policies, triggers, computed fields, words and rules. */
const shape = (database: TestDatabase): Promise<readonly object[]> =>
  database.pool.query(sql`
    select t.table_name, t.label, obj_description(c.oid) as comment,
           (select jsonb_agg(jsonb_build_array(a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, col_description(c.oid, a.attnum)) order by a.attname)
              from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
           (select jsonb_agg(jsonb_build_array(o.conname, pg_get_constraintdef(o.oid), obj_description(o.oid)) order by o.conname) from pg_constraint o where o.conrelid = c.oid) as constraints,
           (select jsonb_agg(pg_get_indexdef(i.indexrelid) order by pg_get_indexdef(i.indexrelid)) from pg_index i where i.indrelid = c.oid) as indexes,
           (select jsonb_agg(jsonb_build_array(p.polname, p.polcmd, pg_get_expr(p.polqual, c.oid), pg_get_expr(p.polwithcheck, c.oid)) order by p.polname) from pg_policy p where p.polrelid = c.oid) as policies,
           (select jsonb_agg(regexp_replace(pg_get_triggerdef(g.oid), '_transition_(of_new_)?[0-9]+', '') order by g.tgname) from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal) as triggers,
           (select jsonb_agg(jsonb_build_array(f.field_name, f.label, f.definition, f.result) order by f.field_name) from holdfast.computed_fields f where f.table_name = t.table_name) as computed,
           (select jsonb_agg(jsonb_build_array(f.field_name, f.choices, f.format) order by f.field_name) from holdfast.fields f where f.table_name = t.table_name) as words,
           (select jsonb_agg(jsonb_build_array(s.field, s.from_value, s.to_value, s.least_role) order by s.to_value, s.from_value) from holdfast.transitions s where s.table_name = t.table_name) as steps,
           (select jsonb_build_array(r.access, r.required_when) from holdfast.table_rules r where r.table_name = t.table_name) as rules
      from holdfast.tables t left join pg_class c on c.relname = t.table_name and c.relnamespace = 'public'::regnamespace
     where t.workspace_id is not null order by t.table_name`)

test('a fresh database gets the same tables, and this one runs nothing again', async () => {
  await world.create('plants')
  await world.create('visits', [
    { name: 'title', label: 'Title', kind: 'text' },
    { name: 'plant', label: 'Plant', kind: 'link', table: 'plants' },
  ])
  await world.change('plants', { kind: 'add_field', field: { name: 'depth', label: 'Depth', kind: 'text' } })
  await world.change('plants', { kind: 'convert_field', field: 'depth', to: { kind: 'number' } })
  await world.change('plants', {
    kind: 'edit_field',
    field: 'state',
    label: 'Condition',
    choices: ['Open', 'done'],
    renamed: { open: 'Open', "it's done": 'done' },
  })
  await call('set_computed_field', 'plants', {
    name: 'twice',
    label: 'Twice',
    kind: 'formula',
    formula: { call: '*', of: [{ field: 'depth' }, { number: 2 }] },
  })
  await call('set_required_when', 'plants', 'cause', [{ field: 'state', is: 'one_of', values: ['done'] }])
  await call('set_transitions', 'plants', 'state', [{ from: 'Open', to: 'done', role: 'admin' }, { to: 'Open' }])
  await call('set_access', 'visits', {
    see: [{ role: 'viewer', scope: 'all' }],
    add: [{ role: 'editor', scope: 'all' }],
    change: [],
    delete: [],
  })
  await world.change('plants', { kind: 'duplicate_table', label: 'Copied plants' })
  await world.create('inspected')
  await call('add_checklist', 'inspected', { name: 'Visit' })
  expect(await pull()).toBe(1)
  expect(await pull()).toBe(0)

  await world.change('visits', { kind: 'delete_field', field: 'plant' })
  await world.change('visits', { kind: 'restore_field', field: 'plant' })
  await world.change('plants', { kind: 'delete_table' })
  await call('restore_table', 'plants')
  await world.change('visits', { kind: 'delete_table' })
  await world.create('removed')
  await call('remove_empty_table', 'removed')
  expect(await pull()).toBe(1)

  expect(await migrate(pools[0])).toBe(0)
  expect(await migrate(pools[1])).toBe(2)
  expect(await shape(fresh)).toEqual(await shape(world.database))
  expect(await fresh.pool.query(sql`select count(*)::int as waiting from holdfast_private.table_changes`)).toEqual([
    { waiting: 0 },
  ])
})

test('changes after a migration of the project come after it', async () => {
  await world.create('early')
  const at = new Date(Date.now() + 60_000).toISOString().slice(0, 19).replaceAll(/\D/g, '')
  const { pool } = world.database
  await pool.execute(sql`insert into supabase_migrations.schema_migrations (version) values (${at})`)
  await pool.execute(
    sql`insert into holdfast_private.table_changes (workspace_id, table_name, kind, change, statements, made_at)
        values (${world.workspace}, 'early', 'edit_field', '{}', 'select 1;', now() + interval '2 minutes')`,
  )
  expect(await pull()).toBe(2)
  const [before, after] = listMigrationFiles(folder).files.slice(-2)
  expect([(before?.version ?? '') < at, (after?.version ?? '') > at]).toEqual([true, true])
})

test('a table whose creation was not recorded is named', async () => {
  const { pool } = world.database
  await pool.execute(
    sql.trusted(`
    create table public.unrecorded (id uuid primary key);
    insert into holdfast.tables (table_name, workspace_id) values ('unrecorded', '${world.workspace}');
    insert into holdfast_private.table_changes (workspace_id, table_name, kind, change, statements) values ('${world.workspace}', 'unrecorded', 'edit_field', '{}', 'select 1')`),
  )
  await expect(pull()).rejects.toMatchObject({ code: 'app_table_unrecorded', detail: 'unrecorded' })
})
