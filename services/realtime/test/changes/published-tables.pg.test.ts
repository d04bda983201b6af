import { describe, expect, test } from 'vitest'
import { sql, type Pool } from '@holdfast/postgres'
import { openTestDatabase } from '@holdfast/test-support'
import { readPublishedTables } from '../../src/changes/published-tables.ts'
import { readTableInfo } from '../../src/changes/table-info.ts'
import { realtimeMigrations } from '../../src/index.ts'

async function namesOf(pool: Pool): Promise<string[]> {
  return (await readPublishedTables(pool)).map(({ schema, name }) => `${schema}.${name}`)
}

describe('the tables of channels', () => {
  test('are those of the publication, which begins empty, and the messages', async () => {
    await using db = await openTestDatabase({ migrations: [realtimeMigrations] })
    const run = (text: string): Promise<unknown> => db.pool.execute(sql.trusted(text))
    expect(await namesOf(db.pool)).toEqual(['realtime.messages'])

    await run(`create schema other`)
    await run(`create table public.b (id int primary key)`)
    await run(`create table other.a (id int primary key)`)
    await run(`create unlogged table other.unlogged (id int primary key)`)
    await run(`create table public.parts (id int primary key) partition by list (id)`)
    await run(`create table public.part partition of public.parts for values in (1)`)
    await run(`alter publication supabase_realtime add table public.b, public.part, realtime.messages`)
    expect(await namesOf(db.pool)).toEqual(['public.b', 'public.parts', 'realtime.messages'])

    await run(`drop publication supabase_realtime`)
    expect(await namesOf(db.pool)).toEqual(['realtime.messages'])

    await run(`create publication supabase_realtime for tables in schema other`)
    expect(await namesOf(db.pool)).toEqual(['other.a', 'realtime.messages'])

    await run(`drop publication supabase_realtime`)
    await run(`create publication supabase_realtime for all tables`)
    const all = await namesOf(db.pool)
    expect(all).toEqual(expect.arrayContaining(['other.a', 'public.b', 'public.parts', 'realtime.messages']))
    expect(all.filter((name) => /^(sync|holdfast|auth|pg_catalog)\.|unlogged|\.part$|messages_/.test(name))).toEqual([])

    // The stream includes this one for its own purposes.
    await run(`create schema if not exists sync`)
    await run(`create table sync.heartbeat (id int primary key)`)
    const find = (schema: string, name: string) => readTableInfo(db.pool, { schema, name }, ['anon'], async () => false)
    expect(await find('other', 'a')).toBeDefined()
    expect(await find('sync', 'heartbeat')).toBeUndefined()
    expect(await find('auth', 'users')).toBeUndefined()
  })

  test.each([
    ['as it is made', ''],
    [
      'made again by a script of the project',
      'drop publication supabase_realtime; create publication supabase_realtime;',
    ],
  ])('with generated columns can be written to while the publication is %s', async (_title, script) => {
    await using db = await openTestDatabase({ migrations: [realtimeMigrations] })
    const rows = await db.pool.withClient(async (client) => {
      // The stream requires this replica identity.
      await client.query(`create table public.sums (id int primary key, twice int generated always as (id * 2) stored);
        alter table public.sums replica identity full; insert into public.sums values (1), (2);`)
      if (script !== '') await client.query(script)
      await client.query('alter publication supabase_realtime add table public.sums')
      await client.query('update public.sums set id = 3 where id = 1')
      await client.query('delete from public.sums where id = 2')
      return (await client.query('select id, twice from public.sums')).rows as unknown
    })
    expect(rows).toEqual([{ id: 3, twice: 6 }])
  })
})
