import { describe, expect, test } from 'vitest'
import { sql, type Pool } from '@holdfast/postgres'
import { openTestDatabase } from '@holdfast/test-support'
import { readPublishedTables } from '../../src/changes/published-tables.ts'
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
  })
})
