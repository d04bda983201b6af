import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { sql } from '../../src/sql/sql.ts'
import { readCatalog } from '../../src/catalog/read-catalog.ts'
import { watchCatalog, type CatalogWatch } from '../../src/catalog/watch-catalog.ts'

/*
 * A transaction may lock a table indefinitely. Meanwhile the catalog includes all tables; only the writability of a locked view, and of views on it, is
 * unknown.
 */

let db: TestDatabase

beforeEach(async () => {
  db = await openTestDatabase()
  await db.pool.withClient((client) =>
    client.query(`
      create table public.held (id int primary key, at timestamptz default now(), n int default 1 + 2);
      alter table public.held enable row level security;
      create table public.other (id int primary key, held_id int references public.held, label text default 'none');
      alter table public.other enable row level security;
      create policy through_held on public.other for select using (held_id in (select id from public.held));
      create view public.summed as select count(*) from public.held;
      create view public.on_summed as select * from public.summed;
      create view public.plain as select * from public.held;
      create view public.beside as select * from public.other`),
  )
})

afterEach(() => db[Symbol.asyncDispose]())

/** Runs `body` while a transaction holds locks on a table and a view on it. */
async function whileHeld(body: () => Promise<void>): Promise<void> {
  await db.pool.transaction(async (tx) => {
    await tx.execute(sql`lock table public.held, public.summed in access exclusive mode`)
    await body()
  })
}

test('a table that is locked is read like any other, and so is what a policy of another names', async () => {
  const whole = await readCatalog(db.pool)
  expect(whole.isPartial).toBe(false)
  await whileHeld(async () => {
    const catalog = await readCatalog(db.pool, whole)
    expect(catalog.isPartial).toBe(true)
    expect(catalog.version).toBe(whole.version)
    expect(catalog.tables).toEqual(whole.tables)
    expect(catalog.table('public', 'held')?.columns.map((column) => column.default)).toEqual([
      undefined,
      'now()',
      '(1 + 2)',
    ])
    expect(catalog.table('public', 'on_summed')).toMatchObject({ insertable: false, updatable: false })
  })
})

test('without an earlier reading, views on a locked table are left to Postgres', async () => {
  await whileHeld(async () => {
    const catalog = await readCatalog(db.pool)
    expect(catalog.isPartial).toBe(true)
    for (const view of ['plain', 'summed', 'on_summed', 'beside'])
      expect(catalog.table('public', view)).toMatchObject({ insertable: true, updatable: true, deletable: true })
  })
  expect((await readCatalog(db.pool)).table('public', 'summed')).toMatchObject({ insertable: false })
})

test('who watches sees new tables while another one is locked, and the rest once it is free', async () => {
  await whileHeld(async () => {
    await using watch = await watchCatalog({ url: db.url, pool: db.pool, logger: silentLogger })
    expect(watch.current().table('public', 'other')).toBeDefined()
    await db.pool.execute(sql`create table public.made_meanwhile (id int primary key)`)
    await expect.poll(() => watch.current().table('public', 'made_meanwhile')).toBeDefined()
    await watch.refresh()
  })
})

test('a catalog that was partial becomes whole by itself', async () => {
  await using opened = new AsyncDisposableStack()
  let watch: CatalogWatch | undefined
  await whileHeld(async () => {
    watch = opened.use(await watchCatalog({ url: db.url, pool: db.pool, logger: silentLogger }))
    expect(watch.current().table('public', 'summed')?.insertable).toBe(true)
  })
  await expect.poll(() => watch?.current().table('public', 'summed')?.insertable).toBe(false)
})
