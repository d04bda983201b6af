import { authMigrations } from '@holdfast/auth'
import { runAs, sql, type Session } from '@holdfast/postgres'
import { storageMigrations } from '@holdfast/storage'
import { syncMigrations } from '@holdfast/sync'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

const serverMigrations = { name: 'server', directory: new URL('../../migrations/', import.meta.url) }
const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`
/** An owner and an editor of the workspace, and the owner of another one. */
export const [OLGA, EDDA, MOLE] = [id(1), id(2), id(3)] as const

export interface ChangeWorld extends AsyncDisposable {
  readonly database: TestDatabase
  readonly workspace: string
  asked<Row extends object>(who: string, query: ReturnType<typeof sql>): Promise<readonly Row[]>
  /** Creates a table of the workspace. */
  create(name: string, fields?: readonly object[]): Promise<void>
  /** @returns the statements that ran */
  change(name: string, of: object, who?: string): Promise<string>
  preview(name: string, of: object, who?: string): Promise<string>
  rows(name: string): Promise<readonly object[]>
  /** Returns what Postgres knows of the columns: types, constraints, indexes and comments. */
  shapeOf(name: string): Promise<unknown>
}

const FIELDS = [
  { name: 'title', label: 'Title', kind: 'text' },
  { name: 'cause', label: 'Cause', kind: 'text' },
  { name: 'state', label: 'State', kind: 'choice', choices: ['open', "it's done"] },
  { name: 'parent_id', label: 'Parent', kind: 'link', table: 'hf_teams' },
]

/** Opens a database with two workspaces and a table of the project. */
export async function openChangeWorld(): Promise<ChangeWorld> {
  const database = await openTestDatabase({
    migrations: [authMigrations, storageMigrations, syncMigrations, serverMigrations],
  })
  const { pool } = database
  for (const user of [OLGA, EDDA, MOLE])
    await pool.execute(sql`insert into auth.users (id, email) values (${user}, ${`${user}@example.org`})`)
  const [made] = await pool.query<{ id: string }>(
    sql`select holdfast.create_workspace('Water', ${`${OLGA}@example.org`}) as id`,
  )
  const workspace = made?.id ?? ''
  await pool.execute(sql`
    insert into holdfast.members (workspace_id, user_id, role, name) values (${workspace}, ${EDDA}, 'editor', 'Edda')`)
  await pool.execute(sql`select holdfast.create_workspace('Gas', ${`${MOLE}@example.org`})`)
  await pool.execute(
    sql.trusted(`
      create table public.of_project (id uuid primary key default gen_random_uuid(), name text);
      alter table public.of_project enable row level security;`),
  )
  const sessionOf = (sub: string): Session => ({ role: 'authenticated', claims: { role: 'authenticated', sub } })
  const asked = <Row extends object>(who: string, query: ReturnType<typeof sql>): Promise<readonly Row[]> =>
    runAs(database.requestPool, sessionOf(who), (tx) => tx.query<Row>(query))
  return {
    database,
    workspace,
    asked,
    async create(name, fields = FIELDS) {
      const definition = { name, label: 'Faults', access: { kind: 'members' }, fields }
      await asked(OLGA, sql`select holdfast.create_table(${workspace}, ${JSON.stringify(definition)}::jsonb)`)
    },
    async change(name, of, who = OLGA) {
      const [row] = await asked<{ done: { statements: string } }>(
        who,
        sql`select holdfast.change_table(${workspace}, ${name}, ${JSON.stringify(of)}::jsonb) as done`,
      )
      return row?.done.statements ?? ''
    },
    async preview(name, of, who = OLGA) {
      const [row] = await asked<{ text: string }>(
        who,
        sql`select holdfast.change_table_sql(${workspace}, ${name}, ${JSON.stringify(of)}::jsonb) as text`,
      )
      return row?.text ?? ''
    },
    rows: (name) => asked(EDDA, sql`select * from ${sql.identifier('public', name)} order by title`),
    shapeOf: (name) =>
      pool.query(sql`
        select a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attidentity::text as identity, col_description(a.attrelid, a.attnum) as comment,
               (select array_agg(pg_get_constraintdef(c.oid) order by pg_get_constraintdef(c.oid)) from pg_constraint c where c.conrelid = a.attrelid and a.attnum = any (c.conkey)) as constraints,
               (select array_agg(pg_get_indexdef(i.indexrelid) order by pg_get_indexdef(i.indexrelid)) from pg_index i where i.indrelid = a.attrelid and a.attnum = any (i.indkey)) as indexes
          from pg_attribute a where a.attrelid = to_regclass(format('public.%I', ${name}::text)) and a.attnum > 0 and not a.attisdropped order by a.attname`),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
