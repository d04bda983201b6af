/** History of records: what triggers write, and who may read it. Postgres is asked as each person. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { compileSyncPlan, readPolicyInput } from '@holdfast/policy'
import { createPool, runAs, sql, type Pool, type Session, type SqlFragment } from '@holdfast/postgres'
import { syncMigrations } from '@holdfast/sync'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const ANN = 'aaaaaaaa-0000-4000-8000-000000000001'
const BEN = 'aaaaaaaa-0000-4000-8000-000000000002'

let database: TestDatabase
/** As the project's own migrations run. */
let project: Pool

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, syncMigrations, serverMigrations] })
  project = createPool({ url: database.projectUrl, applicationName: 'test project', connectionsMax: 2 })
  await run(sql`
    create table public.notes (
      id uuid primary key default gen_random_uuid(), owner uuid not null, title text, secret text, price numeric(8, 2),
      updated_at timestamptz not null default now())`)
  await run(sql`alter table public.notes enable row level security`)
  await run(sql`create policy own on public.notes for all to authenticated using (owner = (select auth.uid()))`)
  await run(sql`revoke all on public.notes from anon, authenticated`)
  await run(
    sql`grant select (id, owner, title, price, updated_at), insert, update, delete on public.notes to authenticated`,
  )
  await run(sql`select holdfast.track('public.notes')`)
})

afterAll(async () => {
  await project[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const run = (statement: SqlFragment): Promise<number> => project.execute(statement)
const as = (sub: string): Session => ({ role: 'authenticated', claims: { role: 'authenticated', sub } })

interface Change {
  readonly kind: string
  readonly actor_id: string | null
  readonly actor_role: string
  readonly changes: Readonly<Record<string, unknown>>
}

const historyOf = (session: Session, id: string): Promise<readonly Change[]> =>
  runAs(database.requestPool, session, (tx) =>
    tx.query<Change & Record<string, unknown>>(
      sql`select kind, actor_id, actor_role, changes from holdfast.history where record_id = ${id} order by id`,
    ),
  )

async function addNote(owner = ANN, title = 'First'): Promise<string> {
  const [row] = await project.query<{ id: string }>(
    sql`insert into public.notes (owner, title, secret, price) values (${owner}, ${title}, 'hidden', 1.50) returning id`,
  )
  return row?.id ?? ''
}

test('each change is kept with who, from what and to what, whoever writes it and however', async () => {
  const id = await addNote()
  await runAs(database.requestPool, as(ANN), (tx) =>
    tx.execute(sql`update public.notes set title = 'Second', price = 2 where id = ${id}`),
  )
  await runAs(database.requestPool, { role: 'service_role', claims: { role: 'service_role' } }, (tx) =>
    tx.execute(sql`update public.notes set title = null where id = ${id}`),
  )
  await run(sql`update public.notes set updated_at = now() + interval '1 day' where id = ${id}`)
  expect(await historyOf(as(ANN), id)).toEqual([
    { kind: 'insert', actor_id: null, actor_role: 'postgres', changes: {} },
    {
      kind: 'update',
      actor_id: ANN,
      actor_role: 'authenticated',
      changes: { title: { from: 'First', to: 'Second' }, price: { from: '1.50', to: '2.00' } },
    },
    { kind: 'update', actor_id: null, actor_role: 'service_role', changes: { title: { from: 'Second', to: null } } },
  ])
})

test('the history of a record is for whoever may read the record now, and for nobody else', async () => {
  const id = await addNote()
  expect(await historyOf(as(BEN), id)).toEqual([])
  await run(sql`update public.notes set owner = ${BEN} where id = ${id}`)
  expect(await historyOf(as(ANN), id)).toEqual([])
  expect(await historyOf(as(BEN), id)).toHaveLength(2)
  await run(sql`delete from public.notes where id = ${id}`)
  expect(await historyOf(as(BEN), id)).toEqual([])
})

test('nobody writes it by hand', async () => {
  for (const statement of [
    sql`insert into holdfast.history (table_name, record_id, kind, actor_role) values ('notes', ${ANN}, 'insert', 'x')`,
    sql`update holdfast.history set actor_id = ${BEN}`,
    sql`delete from holdfast.history`,
  ]) {
    await expect(runAs(database.requestPool, as(ANN), (tx) => tx.execute(statement))).rejects.toMatchObject({
      code: '42501',
    })
  }
})

test('a field that people may not select is not in it, nor one that they may no longer select', async () => {
  const id = await addNote()
  await run(sql`update public.notes set secret = 'other', price = 3 where id = ${id}`)
  expect((await historyOf(as(ANN), id)).at(-1)?.changes).toEqual({ price: { from: '1.50', to: '3.00' } })
  await run(sql`update public.notes set title = 'Dearer', price = 4 where id = ${id}`)
  await run(sql`revoke select (price) on public.notes from authenticated`)
  expect((await historyOf(as(ANN), id)).map(({ changes }) => changes)).toEqual([
    {},
    {},
    { title: { from: 'First', to: 'Dearer' } },
  ])
  await run(sql`grant select (price) on public.notes to authenticated`)
})

test('it follows the names of fields, of the key and of the table, and forgets a field that is dropped', async () => {
  await run(sql`
    create table public.old_things (id uuid primary key default gen_random_uuid(), owner uuid not null, name text, size int)`)
  await run(sql`alter table public.old_things enable row level security`)
  await run(sql`create policy own on public.old_things for select to authenticated using (owner = (select auth.uid()))`)
  await run(sql`grant select on public.old_things to authenticated`)
  await run(sql`select holdfast.track('public.old_things')`)
  const [made] = await project.query<{ id: string }>(
    sql`insert into public.old_things (owner, name, size) values (${ANN}, 'a', 1) returning id`,
  )
  const id = made?.id ?? ''
  await run(sql`update public.old_things set name = 'b', size = 2`)
  await run(sql`alter table public.old_things rename column name to label`)
  await run(sql`alter table public.old_things rename column id to key`)
  await run(sql`alter table public.old_things rename to things`)
  await run(sql`update public.things set label = 'c'`)
  await run(sql`alter table public.things drop column size`)
  expect((await historyOf(as(ANN), id)).map(({ changes }) => changes)).toEqual([
    {},
    { label: { from: 'a', to: 'b' } },
    { label: { from: 'b', to: 'c' } },
  ])
  const names = await project.query(sql`select distinct table_name from holdfast.history where record_id = ${id}`)
  expect(names).toEqual([{ table_name: 'things' }])
  await run(sql`select holdfast.untrack('public.things')`)
  expect(await project.query(sql`select from holdfast.history where record_id = ${id}`)).toEqual([])
})

test('a value that is too long to keep is named without its text', async () => {
  const id = await addNote()
  await run(sql`update public.notes set title = repeat('x', 70000) where id = ${id}`)
  expect((await historyOf(as(ANN), id)).at(-1)?.changes).toEqual({ title: { omitted: true } })
})

test('what is older than the time it is kept goes with later changes', async () => {
  await run(sql`select holdfast.track('public.notes', keep => '30 days')`)
  const id = await addNote()
  await run(sql`update public.notes set title = 'Old' where id = ${id}`)
  await run(sql`update holdfast.history set at = now() - interval '31 days' where record_id = ${id}`)
  await run(sql`update public.notes set title = 'New' where id = ${id}`)
  expect((await historyOf(as(ANN), id)).map(({ changes }) => changes)).toEqual([{ title: { from: 'Old', to: 'New' } }])
})

test.each([
  ['has no row-level security', `create table public.t1 (id uuid primary key)`, 't1', '55000'],
  ['has no uuid as its key', `create table public.t2 (id int primary key)`, 't2', '55000'],
  ['is in another schema', `create schema other; create table other.t3 (id uuid primary key)`, 't3', '42809'],
])('a table that %s has no history, and is told why', async (_, statement, name, code) => {
  await run(sql.trusted(statement))
  if (name === 't2') await run(sql`alter table public.t2 enable row level security`)
  const table = name === 't3' ? 'other.t3' : `public.${name}`
  await expect(run(sql`select holdfast.track(${table}::regclass)`)).rejects.toMatchObject({ code })
})

test('a device asks for it record by record, and a change of another record concerns nobody', async () => {
  const plan = compileSyncPlan(await readPolicyInput(database.compilerPool))
  expect(plan.streams.map(({ name, refused }) => [name, refused])).toEqual([['holdfast_history', []]])
  const history = plan.tables.find(({ localName }) => localName === 'hf_history')
  const definition = history?.definitions.find(({ stream }) => stream === 'holdfast_history')
  expect(definition?.keys.map(({ column }) => column)).toEqual(['record_id'])
  const [id, other] = [await addNote(), await addNote(BEN)]
  const records = JSON.stringify({ records: [id, other] })
  const keys = await runAs(database.requestPool, as(ANN), async (tx) => {
    await tx.query(sql`select set_config('request.subscription', ${records}, true)`)
    return await tx.query(sql.trusted(definition?.keyQuery ?? ''))
  })
  expect(keys).toEqual([{ k0: id }])
  const onNotes = definition?.dependencies.find(({ name }) => name === 'notes')
  expect(onNotes?.pin?.column).toBe('id')
})
