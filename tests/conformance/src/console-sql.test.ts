import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SqlOutcome } from '@holdfast/protocol'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { type ConsoleBrowser, openOperator, openOwner } from './console-world.ts'

// The SQL editor: whose rights statements have, how much they may cost, and what is logged.

let holdfast: Holdfast
let owner: ConsoleBrowser
let developer: ConsoleBrowser
let viewer: ConsoleBrowser
let ada: string

beforeAll(async () => {
  holdfast = await openHoldfast()
  owner = await openOwner(holdfast)
  developer = await openOperator(holdfast, owner, 'developer')
  viewer = await openOperator(holdfast, owner, 'viewer')
  await holdfast.admin.execute(sql`create table public.notes (id int primary key, author uuid, body text)`)
  await holdfast.admin.execute(sql`alter table public.notes enable row level security`)
  await holdfast.admin.execute(
    sql`create policy own on public.notes using (author = auth.uid()) with check (author = auth.uid())`,
  )
  const { user } = await owner.ask<{ user: { id: string } }>('POST /users', {
    email: 'ada@example.org',
    email_confirm: true,
  })
  ada = user.id
  await holdfast.admin.execute(
    sql`insert into public.notes values (1, ${ada}, 'hers'), (2, gen_random_uuid(), 'not hers')`,
  )
})
afterAll(() => holdfast[Symbol.asyncDispose]())

const POSTGRES = { kind: 'postgres' }
const run = (text: string, more: object = {}): Promise<SqlOutcome> =>
  developer.ask<SqlOutcome>('POST /sql', { text, as: POSTGRES, ...more })

describe('results', () => {
  test('of several statements come in order, with types and values as Postgres prints them', async () => {
    const { results, error } = await run(
      `create table public.made (a int, b jsonb); insert into public.made values (1, '{"x": [1]}'), (2, null); select a, b, now() is null as c from public.made order by a`,
    )
    expect(error).toBeUndefined()
    expect(results.map(({ tag, count }) => [tag, count])).toEqual([
      ['CREATE TABLE', 0],
      ['INSERT 0 2', 2],
      ['SELECT 2', 2],
    ])
    expect(results[2]).toMatchObject({
      columns: [
        { name: 'a', type: 'integer' },
        { name: 'b', type: 'jsonb' },
        { name: 'c', type: 'boolean' },
      ],
      rows: [
        ['1', '{"x": [1]}', 'f'],
        ['2', null, 'f'],
      ],
    })
  })

  test('stop at an error, which names its place and undoes the statements before', async () => {
    const { results, error } = await run(
      'insert into public.notes values (9, null, null); select nonsense from public.notes',
    )
    expect(results).toHaveLength(1)
    expect(error).toMatchObject({ code: '42703', position: 57 })
    expect(await holdfast.admin.query(sql`select from public.notes where id = 9`)).toEqual([])
  })

  test('come with notices', async () => {
    const { notices } = await run("do $$ begin raise notice 'look here'; raise warning 'and there'; end $$")
    expect(notices).toEqual(['NOTICE: look here', 'WARNING: and there'])
  })

  test('of many rows are counted, and kept up to the limit', async () => {
    const { results } = await run("select n, repeat('x', 100) from generate_series(1, 200000) n")
    expect(results[0]?.count).toBe(200_000)
    expect(results[0]?.rows).toHaveLength(1_000)
  })

  test('of large rows are kept up to the limit of bytes', async () => {
    const { results } = await run("select repeat('x', 1000000) from generate_series(1, 50)")
    expect(results[0]?.count).toBe(50)
    expect(results[0]?.rows.length).toBeLessThan(10)
  })
})

describe('rights', () => {
  test('are those of the chosen user, whose policies decide', async () => {
    const { results } = await run('select id from public.notes', { as: { kind: 'user', id: ada } })
    expect(results[0]?.rows).toEqual([['1']])
    const refused = await run("insert into public.notes values (3, gen_random_uuid(), 'x')", {
      as: { kind: 'user', id: ada },
    })
    expect(refused.error?.message).toContain('row-level security')
    const anon = await run('select count(*) from public.notes', { as: { kind: 'anon' } })
    expect(anon.results[0]?.rows).toEqual([['0']])
  })

  test('of the project end where those of the console begin', async () => {
    const { error } = await run("update holdfast_console.operators set role = 'owner'")
    expect(error?.code).toBe('42501')
    const elevated = await run('set role supabase_admin')
    expect(elevated.error?.code).toBe('42501')
  })

  test('of users have the settings of their requests', async () => {
    const { results } = await run('show search_path; show role; select auth.uid()', { as: { kind: 'user', id: ada } })
    expect(results.map(({ rows }) => rows)).toEqual([[['public, extensions']], [['authenticated']], [[ada]]])
  })

  test('need the role developer, and a user who exists', async () => {
    expect(await viewer.refusal('POST /sql', { text: 'select 1', as: POSTGRES })).toBe('403 role_too_low')
    const unknown = { kind: 'user', id: '00000000-0000-4000-8000-000000000000' }
    expect(await developer.refusal('POST /sql', { text: 'select 1', as: unknown })).toBe('400 invalid_request')
  })

  const ESCAPES = [
    'reset role',
    'commit',
    'rollback',
    'set session authorization default',
    'reset all',
    "do $$ begin perform set_config('role', 'none', false); end $$",
    'begin; savepoint a; rollback to savepoint a',
  ]
  test.each(ESCAPES)('of a user are never more: %s', async (escape) => {
    const as = { kind: 'user', id: ada }
    const { results, error } = await run(`${escape}; select id from public.notes order by id`, { as })
    const seen = results.flatMap(({ columns, rows }) => (columns?.[0]?.name === 'id' ? rows.flat() : []))
    expect(seen.filter((id) => id !== '1')).toEqual([])
    if (error) expect(error.code).toMatch(/^(25|42501)/)
    for (const role of ['service_role', 'authenticator', 'postgres', 'supabase_admin', 'holdfast_as_anon'])
      expect((await run(`${escape}; set role ${role}`, { as })).error?.code, role).toBe('42501')
    const inBlock = `do $$ begin execute 'set role service_role'; end $$`
    expect((await run(`${escape}; ${inBlock}`, { as })).error?.code).toBe('42501')
  })

  test('reach no file, program or other database', async () => {
    for (const as of [POSTGRES, { kind: 'anon' }, { kind: 'user', id: ada }])
      for (const text of [
        "copy (select 1) to program 'id'",
        "copy public.notes from program 'id'",
        "copy (select 1) to '/tmp/holdfast-console-escape'",
        "select pg_read_file('/etc/passwd')",
        "select lo_import('/etc/passwd')",
        'alter system set work_mem = 1',
        'create role king superuser',
      ])
        expect((await run(text, { as })).error?.code, text).toMatch(/^(42501|25001)$/)
    expect((await run('\\copy public.notes to notes.csv')).error?.code).toBe('42601')
    expect((await run('copy public.notes from stdin')).error?.message).toContain('not supported here')
    expect((await run('copy public.notes to stdout')).results[0]?.tag).toBe('COPY 2')
  })

  test('to write can be left off, and the text does not switch them on', async () => {
    const write = "insert into public.notes values (7, null, 'x')"
    const codeOf = async (text: string): Promise<string | undefined> =>
      (await run(text, { isReadOnly: true })).error?.code
    expect(await codeOf(write)).toBe('25006')
    for (const escape of ['commit', 'rollback', 'end', 'begin', "prepare transaction 'a'", 'vacuum'])
      expect(await codeOf(`${escape}; ${write}`), escape).toBe('25001')
    for (const escape of [
      'set transaction read write',
      'set transaction_read_only = off',
      "select set_config('transaction_read_only', 'off', false)",
      "do $$ begin execute 'set transaction read write'; end $$",
    ])
      expect(await codeOf(`${escape}; ${write}`), escape).toBe('25001')
    expect(await codeOf(`set default_transaction_read_only = off; ${write}`)).toBe('25006')
    expect(await codeOf(`do $$ begin commit; ${write}; end $$`)).toBe('2D000')
    expect(await codeOf('selec 1')).toBe('42601')
    expect(await holdfast.admin.query(sql`select from public.notes where id = 7`)).toEqual([])
  })
})

describe('a statement that takes too long', () => {
  const sleeping = (): Promise<unknown[]> =>
    holdfast.internal.query(
      sql`select from pg_stat_activity where application_name = 'holdfast console sql' and state = 'active'`,
    )

  test('ends with its time limit', async () => {
    const { error } = await run('select pg_sleep(60)', { timeoutSeconds: 1 })
    expect(error?.code).toBe('57014')
  })

  test('ends although the text catches the cancellation', async () => {
    const text = `set statement_timeout = 0; do $$ begin loop begin perform pg_sleep(60); exception when query_canceled then null; end; end loop; end $$`
    expect(await developer.refusal('POST /sql', { text, as: POSTGRES, timeoutSeconds: 1 })).toBe('408 sql_timeout')
    await expect.poll(sleeping).toEqual([])
  })

  test('ends although the text raises the limit', async () => {
    const text = 'set statement_timeout = 0; select pg_sleep(60)'
    expect(await developer.refusal('POST /sql', { text, as: POSTGRES, timeoutSeconds: 1 })).toBe('408 sql_timeout')
    await expect.poll(sleeping).toEqual([])
  })

  test('is cancelled when the page leaves, and an operator has two at a time', async () => {
    const leave = new AbortController()
    const start = (): Promise<unknown> =>
      fetch(`${holdfast.url}/console/v1/sql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'sec-fetch-site': 'same-origin',
          cookie: developer.cookie() ?? '',
        },
        body: JSON.stringify({ text: 'select pg_sleep(60)', as: POSTGRES }),
        signal: leave.signal,
      }).catch(() => undefined)
    const running = [start(), start()]
    await expect.poll(async () => (await sleeping()).length).toBe(2)
    expect(await developer.refusal('POST /sql', { text: 'select 1', as: POSTGRES })).toBe('429 busy')
    leave.abort()
    await Promise.all(running)
    await expect.poll(sleeping).toEqual([])
  })
})

test('every run is in the audit log with its text', async () => {
  await run('select 42 as answer', { as: { kind: 'user', id: ada } })
  const { entries } = await owner.ask<{ entries: readonly Record<string, unknown>[] }>(
    'GET /audit?action=run_sql&limit=1',
  )
  expect(entries[0]).toMatchObject({
    operator: 'developer@ops.example',
    target: `as user ${ada}`,
    after: { text: 'select 42 as answer' },
  })
})
