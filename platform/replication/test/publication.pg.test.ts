import { sql } from '@holdfast/postgres'
import { openTestDatabase } from '@holdfast/test-support'
import { describe, expect, test } from 'vitest'
import { ensurePublication, type TableName } from '../src/publication.ts'

type Database = Awaited<ReturnType<typeof openTestDatabase>>

const NAME = 'changes'
const table = (name: string): TableName => ({ schema: 'public', name })

async function published(db: Database): Promise<string[]> {
  const rows = await db.pool.query<{ tablename: string }>(
    sql`select tablename from pg_publication_tables where pubname = ${NAME} order by 1`,
  )
  return rows.map((row) => row.tablename)
}

async function identities(db: Database): Promise<Record<string, string>> {
  const rows = await db.pool.query<{ relname: string; relreplident: string }>(
    sql`select relname, relreplident::text from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  )
  return Object.fromEntries(rows.map((row) => [row.relname, row.relreplident]))
}

/** Changes with every row of the catalogs written by DDL on publications. */
async function catalogState(db: Database): Promise<unknown> {
  return await db.pool.query(
    sql`select xmin::text, ctid::text from pg_publication union all select xmin::text, ctid::text from pg_publication_rel order by 1, 2`,
  )
}

/** Whether a statement is waiting for a lock. */
async function waitsForLock(db: Database): Promise<boolean> {
  const waiting = await db.pool.query(
    sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return waiting.length > 0
}

describe('ensurePublication', () => {
  test('makes the publication with whole old rows, and runs no DDL when all is so already', async () => {
    await using db = await openTestDatabase()
    await db.pool.execute(sql`create table a (id int primary key, twice int generated always as (id * 2) stored)`)
    await db.pool.execute(sql`create table "B ""quoted""" (id int primary key)`)
    const tables = [table('a'), table('B "quoted"')]

    expect(await ensurePublication(db.pool, { name: NAME, tables })).toEqual({ changed: true, refused: [], busy: [] })
    expect(await published(db)).toEqual(['B "quoted"', 'a'])
    expect(await identities(db)).toEqual({ a: 'f', 'B "quoted"': 'f' })
    const before = await catalogState(db)

    expect(await ensurePublication(db.pool, { name: NAME, tables })).toEqual({ changed: false, refused: [], busy: [] })
    expect(await catalogState(db)).toEqual(before)
    // Postgres refuses these if a stored generated column is in the identity but not published.
    await db.pool.execute(sql`insert into a values (1)`)
    expect(await db.pool.execute(sql`update a set id = 2`)).toBe(1)
  })

  test('adds and drops tables, down to none', async () => {
    await using db = await openTestDatabase()
    for (const name of ['a', 'b', 'c'])
      await db.pool.execute(sql`create table ${sql.identifier(name)} (id int primary key)`)
    await ensurePublication(db.pool, { name: NAME, tables: [table('a'), table('b')] })
    await ensurePublication(db.pool, { name: NAME, tables: [table('b'), table('c')] })
    expect(await published(db)).toEqual(['b', 'c'])
    await ensurePublication(db.pool, { name: NAME, tables: [] })
    expect(await published(db)).toEqual([])
    expect((await ensurePublication(db.pool, { name: NAME, tables: [] })).changed).toBe(false)
  })

  test('publishes many new tables some at a time, and skips locked and dropped ones', async () => {
    await using db = await openTestDatabase()
    const tables = Array.from({ length: 40 }, (_, index) => table(`t${String(index).padStart(2, '0')}`))
    for (const { name } of tables) await db.pool.execute(sql`create table ${sql.identifier(name)} (id int primary key)`)
    await ensurePublication(db.pool, { name: NAME, tables: tables.slice(0, 1) })
    const together: number[] = []
    const ensured = await ensurePublication(db.pool, {
      name: NAME,
      tables,
      async beforeChange(tx, unpublished) {
        // Simulates a drop between reading the tables and the change.
        if (together.length === 0) await tx.execute(sql`drop table t05`)
        together.push(unpublished.length)
      },
    })
    expect(together).toEqual([16, 16, 7])
    expect(ensured).toMatchObject({ changed: true, busy: [] })
    expect(ensured.refused.map(({ name }) => name)).toEqual(['t05'])
    expect(await published(db)).toEqual(tables.map(({ name }) => name).filter((name) => name !== 't05'))
    expect(Object.values(await identities(db))).toEqual(Array.from({ length: 39 }, () => 'f'))
  })

  test('starts with no tables', async () => {
    await using db = await openTestDatabase()
    expect((await ensurePublication(db.pool, { name: NAME, tables: [] })).changed).toBe(true)
    expect((await ensurePublication(db.pool, { name: NAME, tables: [] })).changed).toBe(false)
  })

  test('repairs options, filters, column lists and identities that were changed by hand', async () => {
    await using db = await openTestDatabase()
    await db.pool.execute(sql`create table a (id int primary key, secret text)`)
    await db.pool.execute(
      sql`create publication ${sql.identifier(NAME)} for table a (id) where (id > 5) with (publish = 'insert')`,
    )
    await ensurePublication(db.pool, { name: NAME, tables: [table('a')] })
    const rows = await db.pool.query(
      sql`select p.pubtruncate and p.pubupdate and p.pubdelete and p.pubviaroot as options, t.attnames::text, t.rowfilter
        from pg_publication p join pg_publication_tables t using (pubname)`,
    )
    expect(rows).toEqual([{ options: true, attnames: '{id,secret}', rowfilter: null }])

    await db.pool.execute(sql`alter table a replica identity default`)
    expect((await ensurePublication(db.pool, { name: NAME, tables: [table('a')] })).changed).toBe(true)
    expect(await identities(db)).toEqual({ a: 'f' })
  })

  test('gives new partitions a full identity when it runs again', async () => {
    await using db = await openTestDatabase()
    await db.pool.execute(sql`create table p (id int primary key) partition by range (id)`)
    await db.pool.execute(sql`create table p1 partition of p for values from (0) to (10)`)
    await ensurePublication(db.pool, { name: NAME, tables: [table('p')] })
    await db.pool.execute(sql`create table p2 partition of p for values from (10) to (20)`)
    expect((await ensurePublication(db.pool, { name: NAME, tables: [table('p')] })).changed).toBe(true)
    expect(await identities(db)).toEqual({ p: 'f', p1: 'f', p2: 'f' })
    expect((await ensurePublication(db.pool, { name: NAME, tables: [table('p')] })).changed).toBe(false)
  })

  test('leaves out what Postgres cannot replicate, says why, and leaves that table usable', async () => {
    await using db = await openTestDatabase()
    await db.pool.execute(sql`create table good (id int primary key)`)
    await db.pool.execute(
      sql`create table computed (id int primary key, twice int generated always as (id * 2) virtual)`,
    )
    await db.pool.execute(sql`create unlogged table cache (id int primary key)`)
    await db.pool.execute(sql`create view seen as select * from good`)
    const tables = ['good', 'computed', 'cache', 'seen', 'absent'].map(table)
    const { refused } = await ensurePublication(db.pool, { name: NAME, tables })
    expect(Object.fromEntries(refused.map(({ name, reason }) => [name, reason]))).toEqual({
      computed: expect.stringContaining('virtual generated columns (twice)') as string,
      cache: expect.stringContaining('unlogged') as string,
      seen: expect.stringContaining('view') as string,
      absent: 'there is no such table',
    })
    expect(await published(db)).toEqual(['good'])
    await db.pool.execute(sql`insert into computed values (1)`)
    expect(await db.pool.execute(sql`update computed set id = 2`)).toBe(1)
  })

  test.each([1, 2])('does not publish %i tables that get a virtual column meanwhile', async (count) => {
    await using db = await openTestDatabase()
    const names = ['a', 'b'].slice(0, count)
    for (const name of names) await db.pool.execute(sql`create table ${sql.identifier(name)} (id int primary key)`)
    let isAltered = false
    await ensurePublication(db.pool, {
      name: NAME,
      tables: names.map(table),
      async beforeChange() {
        if (isAltered) return
        isAltered = true
        for (const name of names)
          await db.pool.execute(
            sql`alter table ${sql.identifier(name)} add twice int generated always as (id * 2) virtual`,
          )
      },
    })
    expect(await published(db)).toEqual([])
    expect(await identities(db)).toEqual(Object.fromEntries(names.map((name) => [name, 'd'])))
  })

  test('does not touch a publication that is not a list of tables', async () => {
    await using db = await openTestDatabase()
    await db.pool.execute(sql`create publication ${sql.identifier(NAME)} for all tables`)
    await expect(ensurePublication(db.pool, { name: NAME, tables: [] })).rejects.toMatchObject({
      code: 'replication_publication_foreign',
    })
  })

  test('two nodes that start together make it once, whichever of them takes which step', async () => {
    await using db = await openTestDatabase()
    await db.pool.execute(sql`create table a (id int primary key)`)
    const changes: unknown[] = []
    const wanted = {
      name: NAME,
      tables: [table('a')],
      beforeChange: async (_tx: unknown, unpublished: unknown): Promise<void> => void changes.push(unpublished),
    }
    const both = await Promise.all([1, 2].map(() => ensurePublication(db.pool, wanted)))
    expect(both.some(({ changed }) => changed)).toBe(true)
    // Created, then the table added: as often as by a single node.
    expect(changes).toEqual([[table('a')], [table('a')]])
    expect(await published(db)).toEqual(['a'])
    expect(await ensurePublication(db.pool, wanted)).toMatchObject({ changed: false, busy: [] })
  })

  test('gives way to a transaction that it would otherwise be in a deadlock with', async () => {
    await using db = await openTestDatabase()
    await db.pool.execute(sql`create table a (id int primary key)`)
    await db.pool.execute(sql`create table b (id int primary key)`)
    const tables = [table('a'), table('b')]
    let ensured: Promise<unknown> | undefined
    await db.pool.transaction(async (tx) => {
      await tx.execute(sql`insert into b values (1)`)
      ensured = ensurePublication(db.pool, { name: NAME, tables })
      await expect.poll(() => waitsForLock(db)).toBe(true)
      await tx.execute(sql`insert into a values (1)`)
    })
    expect(await ensured).toMatchObject({ changed: true })
    await ensurePublication(db.pool, { name: NAME, tables })
    expect(await published(db)).toEqual(['a', 'b'])
  })
})
