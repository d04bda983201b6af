import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { sql } from '../../src/sql/sql.ts'
import { watchCatalog, type CatalogWatch } from '../../src/catalog/watch-catalog.ts'

let db: TestDatabase
let watch: CatalogWatch

beforeEach(async () => {
  db = await openTestDatabase()
  watch = await watchCatalog({ url: db.url, pool: db.pool, logger: silentLogger })
})

afterEach(async () => {
  await watch[Symbol.asyncDispose]()
  await db[Symbol.asyncDispose]()
})

const ddl = (text: string): Promise<unknown> => db.pool.withClient((client) => client.query(text))

describe('watchCatalog', () => {
  test('follows tables, columns, grants, functions and dropped objects', async () => {
    const listener = vi.fn()
    watch.onChange(listener)
    await ddl('create table public.things (id int)')
    await vi.waitFor(() => expect(watch.current().table('public', 'things')).toBeDefined(), { timeout: 60_000 })
    await ddl('alter table public.things add column label text')
    await vi.waitFor(() => expect(watch.current().table('public', 'things')?.columns).toHaveLength(2), {
      timeout: 60_000,
    })
    await ddl('revoke all on public.things from anon')
    await vi.waitFor(() => expect(watch.current().table('public', 'things')?.privileges.has('anon')).toBe(false), {
      timeout: 60_000,
    })
    await ddl('drop table public.things')
    await vi.waitFor(() => expect(watch.current().table('public', 'things')).toBeUndefined(), { timeout: 60_000 })
    expect(listener.mock.calls.length).toBeGreaterThanOrEqual(4)
  })

  test('misses nothing while its connection is broken', async () => {
    await db.pool.query(
      sql`select pg_terminate_backend(pid, 1000) from pg_stat_activity where application_name = 'holdfast catalog' and datname = ${db.name}`,
    )
    await ddl('create table public.meanwhile (id int)')
    await vi.waitFor(() => expect(watch.current().table('public', 'meanwhile')).toBeDefined(), { timeout: 60_000 })
  })

  test.each(['', 'reload schema', 'reload config'])('looks again when pgrst is told %j', async (message) => {
    const role = `authenticator in database ${db.name}`
    await ddl(`alter role ${role} set pgrst.db_max_rows = '7'`)
    await db.pool.query(sql`select pg_notify('pgrst', ${message})`)
    await vi.waitFor(() => expect(watch.current().requestSettings).toMatchObject({ 'pgrst.db_max_rows': '7' }), {
      timeout: 60_000,
    })
    await ddl(`alter role ${role} reset all`)
  })

  test('is asked to look again by whoever cannot wait', async () => {
    await ddl('create table public.things (id int)')
    expect((await watch.refresh()).table('public', 'things')).toBeDefined()
  })
})

describe('a change of the catalog', () => {
  const messages = async (): Promise<readonly string[]> => {
    const rows = await db.pool.query<{ data: Buffer }>(sql`
      select data from pg_logical_slot_get_binary_changes(${db.name}, null, null, 'proto_version', '1', 'publication_names', 'none', 'messages', 'true')
    `)
    // 'M', flags, LSN, the NUL-terminated prefix, content length and content.
    return rows
      .filter(({ data }) => data[0] === 0x4d)
      .map(({ data }) => {
        const end = data.indexOf(0, 10)
        return `${data.subarray(10, end).toString()} ${data.subarray(end + 5).toString()}`
      })
  }

  test('is told to the replication stream at its place, and only when it matters', async () => {
    await ddl('create publication none')
    await db.pool.query(sql`select pg_create_logical_replication_slot(${db.name}, 'pgoutput')`)
    await ddl('create table public.things (id int)')
    await ddl('grant select on public.things to anon; alter table public.things add column x int')
    await ddl('create temp table scratch (id int); drop table scratch')
    await ddl('create table sync.own (id int); drop table sync.own')
    await ddl(
      'create publication more for table public.things; alter publication more drop table public.things; drop publication more',
    )
    await ddl('begin; create table public.undone (id int); rollback')
    await ddl('drop table public.things')
    const told = await messages()
    expect(told[0]).toBe('holdfast:ddl CREATE TABLE')
    expect(told.slice(1, 3)).toEqual(['holdfast:ddl GRANT', 'holdfast:ddl ALTER TABLE'])
    expect(told).toHaveLength(4)
    expect(told[3]).toMatch(/^holdfast:ddl .*DROP TABLE/)
  })

  test('needs no right of whoever makes it', async () => {
    await ddl(
      `grant create on schema public to authenticated; set role authenticated; create table public.mine (id int); reset role`,
    )
    await vi.waitFor(() => expect(watch.current().table('public', 'mine')).toBeDefined(), { timeout: 60_000 })
  })
})
