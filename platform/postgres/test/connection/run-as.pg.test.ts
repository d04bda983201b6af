import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { createPool, type Pool } from '../../src/connection/pool.ts'
import { runAs } from '../../src/connection/run-as.ts'
import { isConnectionLoss } from '../../src/connection/sqlstate.ts'
import { sql } from '../../src/sql/sql.ts'

/** A pooled connection serves many users. Nothing may leak from one to the next, however the transaction ended. */
let db: TestDatabase
let pool: Pool

beforeAll(async () => {
  db = await openTestDatabase()
  // One connection, so that all transactions share it.
  pool = createPool({
    url: db.requestUrl,
    applicationName: 'test',
    connectionsMax: 1,
    resetAfterTransaction: true,
    roleSettings: (role) =>
      role === 'anon' ? { statement_timeout: '100ms', datestyle: 'German', bytea_output: 'escape' } : {},
  })
  await db.pool.execute(sql`create table public.notes (id int primary key, owner text not null)`)
  await db.pool.execute(sql`alter table public.notes enable row level security`)
  await db.pool.execute(sql`
    create policy own on public.notes using (owner = current_setting('request.jwt.claims', true)::json ->> 'sub')
  `)
  await db.pool.execute(sql`insert into public.notes values (1, 'ada'), (2, 'ben')`)
  await db.pool.execute(sql`
    create function public.sticky() returns void language sql as $$
      select set_config('request.jwt.claims', '{"sub":"ben"}', false), set_config('role', 'service_role', false),
             set_config('app.tenant', 'ada', false), set_config('statement_timeout', '1ms', false)
    $$
  `)
})

afterAll(async () => {
  await pool[Symbol.asyncDispose]()
  await db[Symbol.asyncDispose]()
})

const ada = { role: 'authenticated', claims: { sub: 'ada' } }

async function left(): Promise<object | undefined> {
  const [row] = await pool.query(sql`
    select current_user as role, coalesce(current_setting('request.jwt.claims', true), '') as claims,
           coalesce(current_setting('app.tenant', true), '') as tenant, current_setting('statement_timeout') as timeout
  `)
  return row
}

const NOTHING = { role: 'authenticator', claims: '', tenant: '', timeout: '30s' }

describe('runAs', () => {
  test('prints values in the same way, whatever the role sets', async () => {
    const printed = sql`select date '2026-02-03'::text as day, '\\xdead'::bytea::text as bytes, current_setting('statement_timeout') as timeout`
    expect(await runAs(pool, { role: 'anon', claims: {} }, (tx) => tx.query(printed))).toEqual([
      { day: '2026-02-03', bytes: '\\xdead', timeout: '100ms' },
    ])
  })

  test('lets a person see through policies', async () => {
    const rows = await runAs(pool, ada, (tx) => tx.query(sql`select id from public.notes`))
    expect(rows).toEqual([{ id: 1 }])
  })

  test('leaves nothing behind when it commits', async () => {
    await runAs(pool, { ...ada, settings: { 'request.method': 'GET' } }, (tx) => tx.query(sql`select 1`))
    expect(await left()).toEqual(NOTHING)
  })

  test('leaves nothing behind when it fails', async () => {
    await expect(runAs(pool, ada, (tx) => tx.query(sql`select 1 / 0`))).rejects.toMatchObject({ code: '22012' })
    expect(await left()).toEqual(NOTHING)
  })

  test('leaves nothing behind when a function sets things for longer than its transaction', async () => {
    await runAs(pool, ada, (tx) => tx.query(sql`select public.sticky()`))
    expect(await left()).toEqual(NOTHING)
    await expect(
      runAs(pool, ada, async (tx) => {
        await tx.query(sql`select public.sticky()`)
        throw new Error('after all')
      }),
    ).rejects.toThrow('after all')
    expect(await left()).toEqual(NOTHING)
  })

  test('refuses roles that the request role is no member of', async () => {
    await expect(runAs(pool, { role: 'postgres', claims: {} }, (tx) => tx.query(sql`select 1`))).rejects.toMatchObject({
      code: '42501',
    })
    expect(await left()).toEqual(NOTHING)
  })

  test('puts the settings of the role on the transaction', async () => {
    await expect(
      runAs(pool, { role: 'anon', claims: {} }, (tx) => tx.query(sql`select pg_sleep(5)`)),
    ).rejects.toMatchObject({ code: '57014' })
    expect(await left()).toEqual(NOTHING)
  })
})

describe('a pool', () => {
  test('says so when a failed statement was ignored and the commit became a rollback', async () => {
    await expect(
      pool.transaction(async (tx) => {
        await tx.query(sql`select 1 / 0`).catch(() => undefined)
        return 'fine'
      }),
    ).rejects.toThrow('must not end as if it had succeeded')
    expect(await left()).toEqual(NOTHING)
  })

  test('reports a commit that Postgres refuses', async () => {
    await db.pool.execute(sql`create table public.later (id int unique deferrable initially deferred)`)
    await expect(
      db.pool.transaction(async (tx) => {
        await tx.execute(sql`insert into public.later values (1), (1)`)
      }),
    ).rejects.toMatchObject({ code: '23505' })
  })

  test('replaces a connection that broke while it was lent, idle or in a statement', async () => {
    await using one = createPool({ url: db.url, applicationName: 'breaks', connectionsMax: 1 })
    const kill = async (): Promise<void> => {
      await db.pool.query(
        sql`select pg_terminate_backend(pid, 1000) from pg_stat_activity where application_name = 'breaks'`,
      )
    }
    const failure = await one
      .transaction(async (tx) => {
        await tx.query(sql`select 1`)
        await kill()
        await tx.query(sql`select 1`)
      })
      .catch((error: unknown) => error)
    expect(isConnectionLoss(failure)).toBe(true)
    expect(await one.query(sql`select 1 as one`)).toEqual([{ one: 1 }])

    const sleeping = one.query(sql`select pg_sleep(30)`).catch((error: unknown) => error)
    await db.pool.query(sql`select pg_sleep(0.05)`)
    await kill()
    expect(isConnectionLoss(await sleeping)).toBe(true)
    expect(await one.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
  })
})
