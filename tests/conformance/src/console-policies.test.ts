import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  AccessExplanation,
  AccessVerdict,
  ChangePreview,
  PolicySync,
  SeenRowsPage,
  TableChange,
  TableChangePlan,
  TableDetails,
} from '@holdfast/protocol'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { type ConsoleBrowser, openConsoleBrowser, openOperator, openOwner } from './console-world.ts'

// The policies of the console: who may do what with a row and why, and how policies are changed.

let holdfast: Holdfast
let developer: ConsoleBrowser
let viewer: ConsoleBrowser
let ada: string

const HOSTILE = `a"b'; drop table x --`

beforeAll(async () => {
  holdfast = await openHoldfast()
  const owner = await openOwner(holdfast)
  developer = await openOperator(holdfast, owner, 'developer')
  viewer = await openOperator(holdfast, owner, 'viewer')
  const { user } = await owner.ask<{ user: { id: string } }>('POST /users', {
    email: 'ada@example.org',
    email_confirm: true,
  })
  ada = user.id
  for (const statement of [
    sql`create table public.notes (id int primary key, author uuid default auth.uid(), body text not null, locked boolean not null default false, size int generated always as (length(body)) stored)`,
    sql`alter table public.notes enable row level security`,
    sql`create policy "read own" on public.notes for select using (author = auth.uid() or id = 2)`,
    sql`create policy "change own" on public.notes for update using (author = auth.uid())`,
    sql`create policy "add own" on public.notes for insert with check (author = auth.uid() and size < 20)`,
    sql`create policy "not locked" on public.notes as restrictive for update using (not locked) with check (true)`,
    sql`grant select, insert, update, delete on public.notes to authenticated`,
    sql`revoke all on public.notes from anon`,
    sql`create table public.${sql.identifier(HOSTILE)} (${sql.identifier(HOSTILE)} text primary key)`,
    sql`alter table public.${sql.identifier(HOSTILE)} enable row level security`,
    sql`grant all on public.${sql.identifier(HOSTILE)} to authenticated`,
    sql`create policy ${sql.identifier(HOSTILE)} on public.${sql.identifier(HOSTILE)} for select using (${sql.identifier(HOSTILE)} <> 'hidden')`,
    sql`insert into public.${sql.identifier(HOSTILE)} values ('hidden'), ('shown')`,
    sql`create table public.slow (id int primary key)`,
    sql`alter table public.slow enable row level security`,
    sql`grant all on public.slow to authenticated`,
    sql`insert into public.slow values (1)`,
    sql`create policy sleepy on public.slow for select using (pg_sleep(id * 60) is null)`,
  ])
    await holdfast.admin.execute(statement)
  await holdfast.admin.execute(
    sql`insert into public.notes values (1, ${ada}, 'hers', false), (2, gen_random_uuid(), 'shown to all', false), (3, gen_random_uuid(), 'not hers', false), (4, ${ada}, 'locked', true)`,
  )
})
afterAll(() => holdfast[Symbol.asyncDispose]())

const asAda = { schema: 'public', table: 'notes', as: { kind: 'user', id: 'ada@example.org' } }

const explain = (more: object): Promise<AccessExplanation> =>
  developer.ask<AccessExplanation>('POST /policies/explain', { ...asAda, ...more })

async function verdict(more: object, command?: string): Promise<AccessVerdict> {
  const { verdicts } = await explain(more)
  const found = verdicts.find((one) => command === undefined || one.command === command)
  if (!found) throw new Error('the verdict is missing')
  return found
}

const words = ({ isAllowed, reason }: AccessVerdict): string => `${isAllowed ? 'allowed' : 'refused'}: ${reason}`

test('of a page of rows it is said which ones a user sees', async () => {
  const page = await developer.ask<SeenRowsPage>('POST /policies/rows', { ...asAda, filters: [] })
  expect(page.rows.map(({ cells, isSeen }) => [cells[0], isSeen])).toEqual([
    ['1', true],
    ['2', true],
    ['3', false],
    ['4', true],
  ])
  const visitor = { ...asAda, as: { kind: 'anon' }, filters: [] }
  expect(await developer.ask<SeenRowsPage>('POST /policies/rows', visitor)).toMatchObject({
    problem: 'permission denied for table notes.',
  })
})

describe('a row', () => {
  test('of the user may be read and changed, by the policies that are named, and not deleted', async () => {
    const { role, userId, verdicts } = await explain({ address: ['1'] })
    expect([role, userId]).toEqual(['authenticated', ada])
    expect(verdicts.map(words)).toEqual([
      'allowed: The policy “read own” allows it.',
      'allowed: The policy “change own” allows it.',
      'refused: No policy lets authenticated delete rows of this table.',
    ])
  })

  test('of somebody else is missing because of the only policy, whose result is shown', async () => {
    const missing = await verdict({ address: ['3'] }, 'select')
    expect(missing).toMatchObject({ isAllowed: false, policy: 'read own' })
    expect(missing.reason).toBe('The only policy for select, “read own”, is false for this row.')
    expect(missing.results).toMatchObject([{ policy: 'read own', row: 'existing', passes: false }])
  })

  test('that is seen but may not be changed says which policy keeps it', async () => {
    expect(words(await verdict({ address: ['2'] }, 'update'))).toBe(
      'refused: The only policy for update, “change own”, is false for this row.',
    )
    expect(words(await verdict({ address: ['4'] }, 'update'))).toBe(
      'refused: The restrictive policy “not locked” is false for this row.',
    )
  })

  test('that does not exist, and one of a view, are refused', async () => {
    const gone = { ...asAda, address: ['99'] }
    expect(await developer.refusal('POST /policies/explain', gone)).toBe('400 invalid_request')
    await holdfast.admin.execute(sql`create view public.notes_view as select * from public.notes`)
    expect(await developer.refusal('POST /policies/explain', { ...gone, table: 'notes_view' })).toBe(
      '422 table_read_only',
    )
  })

  test('is explained where names are hostile', async () => {
    const hostile = { table: HOSTILE }
    expect(words(await verdict({ ...hostile, address: ['hidden'] }, 'select'))).toBe(
      `refused: The only policy for select, “${HOSTILE}”, is false for this row.`,
    )
    expect((await verdict({ ...hostile, address: ['shown'] }, 'select')).isAllowed).toBe(true)
  })

  test('whose policy takes too long is said to, within seconds', async () => {
    const started = performance.now()
    const { isAllowed, reason } = await verdict({ table: 'slow', address: ['1'] }, 'select')
    expect([isAllowed, reason]).toEqual([false, 'It took longer than 2 s.'])
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

describe('proposed values', () => {
  const propose = (values: object, more: object = {}): Promise<AccessVerdict> =>
    verdict({ values: JSON.stringify(values), ...more })

  test('may be inserted if the policy passes, with defaults and generated columns as Postgres fills them', async () => {
    const allowed = await propose({ id: 10, body: 'short' })
    expect(words(allowed)).toBe('allowed: The policy “add own” allows it.')
    const long = await propose({ id: 10, body: 'longer than twenty characters' })
    expect(words(long)).toBe('refused: The only policy for insert, “add own”, is false for the new row.')
  })

  test('refused by a constraint, a type or a missing grant are refused in the words of Postgres', async () => {
    expect((await propose({ id: 1, body: 'taken' })).reason).toContain('duplicate key value')
    expect((await propose({ id: 'x', body: 'no number' })).reason).toContain('invalid input syntax for type integer')
    const visitor = await propose({ id: 10, body: 'x' }, { as: { kind: 'anon' } })
    expect(words(visitor)).toBe('refused: permission denied for table notes.')
  })

  test('of an update are checked on the row before and after', async () => {
    expect(words(await propose({ body: 'new' }, { address: ['1'] }))).toBe(
      'allowed: The policy “change own” allows it.',
    )
    const given = await propose({ author: crypto.randomUUID() }, { address: ['1'] })
    expect(words(given)).toBe('refused: The only policy for update, “change own”, is false for the new row.')
  })

  test('that are no values of the table are refused', async () => {
    for (const values of ['[1]', '{', '{"no such column": 1}'])
      expect(await developer.refusal('POST /policies/explain', { ...asAda, values }), values).toBe(
        '400 invalid_request',
      )
  })

  test('leave nothing behind', async () => {
    await propose({ id: 11, body: 'gone' })
    await propose({ body: 'changed' }, { address: ['1'] })
    const rows = await holdfast.admin.query<{ id: number; body: string }>(
      sql`select id, body from public.notes order by id`,
    )
    expect(rows.map(({ id, body }) => `${id} ${body}`)).toEqual(['1 hers', '2 shown to all', '3 not hers', '4 locked'])
  })
})

describe('how a table syncs', () => {
  const sync = (table: string): Promise<PolicySync> =>
    viewer.ask<PolicySync>(`GET /policies/sync?${new URLSearchParams({ schema: 'public', table })}`)

  test('has its cost class by policy', async () => {
    await expect.poll(() => sync('notes'), { timeout: 20_000 }).toMatchObject({ state: 'synced' })
    const { parts } = await sync('notes')
    expect(parts.flatMap(({ policies }) => policies)).toContain('read own')
    expect(parts.map(({ form }) => form)).toContain('key')
  })

  test('has the reason of one that does not', async () => {
    await expect.poll(() => sync('slow'), { timeout: 20_000 }).toMatchObject({ state: 'refused' })
    expect((await sync('slow')).reason).toContain('sleepy')
  })
})

describe('a policy', () => {
  const on = { schema: 'public', table: 'notes' }
  const plan = (change: object): Promise<TableChangePlan> =>
    developer.ask<TableChangePlan>('POST /tables/changes/plan', { change })
  const apply = async (change: TableChange): Promise<unknown> =>
    developer.ask('POST /tables/changes', { change, sql: (await plan(change)).sql, writesFile: false })
  const find = async (name: string): Promise<unknown> =>
    (await viewer.ask<TableDetails>('GET /tables/details?schema=public&table=notes')).policies.find(
      (one) => one.name === name,
    )

  test('is created, changed and dropped with the SQL that was shown', async () => {
    const created: TableChange = {
      kind: 'create_policy',
      ...on,
      name: HOSTILE,
      command: 'delete',
      isPermissive: true,
      roles: ['authenticated'],
      using: 'author = auth.uid()',
    }
    await apply(created)
    expect(await find(HOSTILE)).toMatchObject({ command: 'delete', isPermissive: true, roles: ['authenticated'] })
    expect((await verdict({ address: ['1'] }, 'delete')).policy).toBe(HOSTILE)
    await apply({ kind: 'alter_policy', ...on, name: HOSTILE, to: 'delete own', roles: ['public'], using: 'id > 1' })
    expect(await find('delete own')).toMatchObject({ roles: ['public'], using: '(id > 1)' })
    await apply({ kind: 'drop_policy', ...on, name: 'delete own', confirmation: 'delete own' })
    expect(await find('delete own')).toBeUndefined()
  })

  test.each([
    ['400 invalid_request', 'true); drop table public.notes; --'],
    ['400 invalid_request', 'true); commit; select (1'],
    ['400 invalid_request', '('],
    ['422 query_refused', 'no_such_column = 1'],
    ['422 query_refused', 'body'],
  ])('is refused with %s where its condition is %j', async (refusal, using) => {
    const change = { kind: 'create_policy', ...on, name: 'p', command: 'select', isPermissive: true, roles: [], using }
    expect(await developer.refusal('POST /tables/changes/plan', { change })).toBe(refusal)
    expect(await find('p')).toBeUndefined()
  })

  test('on a table of the console is refused', async () => {
    const change = { kind: 'drop_policy', schema: 'holdfast_console', table: 'operators', name: 'x', confirmation: 'x' }
    expect(await developer.refusal('POST /tables/changes/plan', { change })).toBe('422 table_read_only')
  })
})

test('viewers, users and visitors are refused', async () => {
  const rows = { ...asAda, filters: [] }
  const row = { ...asAda, address: ['1'] }
  expect(await viewer.refusal('POST /policies/rows', rows)).toBe('403 role_too_low')
  expect(await viewer.refusal('POST /policies/explain', row)).toBe('403 role_too_low')
  const outsider = openConsoleBrowser(holdfast)
  const service = { apikey: holdfast.serviceRoleKey, authorization: `Bearer ${holdfast.serviceRoleKey}` }
  for (const headers of [{}, service]) {
    expect(await outsider.refusal('POST /policies/rows', rows, headers)).toBe('401 not_signed_in')
    expect(await outsider.refusal('POST /policies/explain', row, headers)).toBe('401 not_signed_in')
    expect(await outsider.refusal('GET /policies/sync?schema=public&table=notes', undefined, headers)).toBe(
      '401 not_signed_in',
    )
  }
})

test('what was asked about whom is in the audit log', async () => {
  const { entries } = await developer.ask<{ entries: readonly Record<string, unknown>[] }>(
    'GET /audit?action=explain_access&limit=200',
  )
  expect(entries.map(({ target }) => target)).toContain(`table public.notes as user ${ada}`)
})

describe('a preview', () => {
  const preview = (
    text: string,
    users: readonly object[] = [{ kind: 'user', id: 'ada@example.org' }],
  ): Promise<ChangePreview> => developer.ask<ChangePreview>('POST /policies/preview', { sql: text, users })
  const state = async (): Promise<unknown> => {
    const { policies } = await viewer.ask<TableDetails>('GET /tables/details?schema=public&table=notes')
    const rows = await holdfast.admin.query(sql`select * from public.notes order by id`)
    return { policies, rows }
  }

  test('says which rows a user gains, loses and downloads, and what was locked, and changes nothing', async () => {
    const before = await state()
    const { error, users, tables, locks } = await preview(`
      drop policy "read own" on public.notes;
      create policy "read others" on public.notes for select to authenticated using (id > 2);
      insert into public.notes (id, author, body) values (7, gen_random_uuid(), 'new')`)
    expect(error).toBeUndefined()
    expect(users).toEqual([{ id: ada, label: 'ada@example.org', role: 'authenticated' }])
    expect(locks).toEqual([{ schema: 'public', table: 'notes', blocks: 'all' }])
    expect(tables).toMatchObject([{ table: 'notes', sync: 'synced', written: { inserted: 1, updated: 0, deleted: 0 } }])
    const [rows] = tables[0]?.users ?? []
    expect(rows).toMatchObject({ before: 3, after: 3, changes: { gained: 2, lost: 2, changed: 0 } })
    expect(rows?.changes?.gainedKeys.toSorted()).toEqual(['3', '7'])
    expect(rows?.changes?.lostKeys.toSorted()).toEqual(['1', '2'])
    expect(rows?.download).toMatchObject({ rows: 3, bound: 'exact' })
    expect(rows?.download?.bytes).toBeGreaterThan(100)
    expect(await state()).toEqual(before)
  })

  test('says that a table stops to sync and why, and that a new one begins', async () => {
    const { tables } = await preview(`
      create policy sleepy on public.notes for select using (pg_sleep(id * 0) is not null);
      create table public.fresh (id int primary key);
      alter table public.fresh enable row level security;
      create policy everyone on public.fresh for select using (true);
      grant select on public.fresh to authenticated;
      insert into public.fresh values (1)`)
    const [fresh, notes] = tables
    expect(notes).toMatchObject({ table: 'notes', sync: 'stops', users: [{ after: 0, changes: { lost: 3 } }] })
    expect(notes?.reason).toContain('sleepy')
    expect(fresh).toMatchObject({ table: 'fresh', sync: 'begins', users: [{ changes: { gained: 1 } }] })
    expect(await viewer.refusal('GET /tables/details?schema=public&table=fresh')).toBe('404 no_such_table')
  })

  test('without users takes those who signed in last, and lists nothing for a change without effect', async () => {
    const { users, tables } = await preview(`comment on table public.notes is 'notes'`, [])
    expect(users.map(({ label }) => label)).toContain('ada@example.org')
    expect(tables).toEqual([])
  })

  test('says what it does not know: too many rows, and a policy that fails', async () => {
    const many = await preview(`insert into public.notes select n, '${ada}', 'x' from generate_series(100, 20200) n`)
    expect(many.tables).toMatchObject([{ users: [{ before: 3, after: many.rowsMax + 1 }] }])
    expect(many.tables[0]?.users[0]).not.toHaveProperty('changes')
    const failing = await preview(`alter policy "read own" on public.notes using (10 / (id - 4) < 0)`)
    expect(failing.tables).toMatchObject([{ users: [{ before: 3, problem: 'division by zero' }] }])
    expect(failing.tables[0]?.users[0]).not.toHaveProperty('after')
  })

  test('shows what Postgres refuses, and refuses transactions and what outlives a rollback', async () => {
    expect((await preview('create policy x on public.notes using (nothing)')).error).toMatchObject({ code: '42703' })
    for (const text of [
      'begin; drop table public.notes; commit',
      'drop table public.notes; rollback',
      'vacuum',
      `select setval('public.numbers', 1)`,
    ])
      expect((await preview(text)).error?.code, text).toBe('25001')
    expect((await preview(`set constraints all immediate; select 1/0`)).error).toMatchObject({ code: '22012' })
    await holdfast.admin.execute(sql`create sequence public.numbers`)
    expect((await preview(`select nextval('public.numbers')`)).sequences).toEqual(['public.numbers'])
  })

  test('ends after its time limit, whatever timeouts the SQL sets, and releases its locks', async () => {
    const text = `set local statement_timeout = 0; lock table public.notes; select pg_sleep(60)`
    const started = performance.now()
    const slow = developer.refusal('POST /policies/preview', { sql: text, users: [] })
    await expect
      .poll(
        async () =>
          (
            await holdfast.admin.query(
              sql`select from pg_locks where mode = 'AccessExclusiveLock' and relation = 'public.notes'::regclass`,
            )
          ).length,
      )
      .toBe(1)
    expect(await developer.refusal('POST /policies/preview', { sql: 'select 1', users: [] })).toBe('429 busy')
    expect(await slow).toBe('408 preview_timeout')
    expect(performance.now() - started).toBeLessThan(25_000)
    await expect.poll(() => holdfast.admin.execute(sql`update public.notes set body = body`)).toBe(4)
  }, 60_000)

  test('is refused to viewers and for unknown users, and waits for no lock for long', async () => {
    const body = { sql: 'select 1', users: [] }
    expect(await viewer.refusal('POST /policies/preview', body)).toBe('403 role_too_low')
    expect(await viewer.refusal('POST /policies/apply', { sql: 'select 1', name: 'x', writesFile: false })).toBe(
      '403 role_too_low',
    )
    const unknown = { ...body, users: [{ kind: 'user', id: 'nobody@example.org' }] }
    expect(await developer.refusal('POST /policies/preview', unknown)).toBe('400 invalid_request')
    await holdfast.admin.transaction(async (tx) => {
      await tx.execute(sql`lock table public.slow in access share mode`)
      expect((await preview('drop table public.slow')).error?.message).toContain('lock timeout')
    })
  })

  test('is applied as it was previewed, and both are in the audit log', async () => {
    const apply = { sql: 'create policy "all" on public.slow using (true)', name: 'all_rows', writesFile: false }
    expect(await developer.refusal('POST /policies/apply', { ...apply, sql: 'begin; commit' })).toBe(
      '400 invalid_request',
    )
    expect(await developer.refusal('POST /policies/apply', { ...apply, name: '../x' })).toBe('400 invalid_request')
    await preview(apply.sql)
    await developer.ask('POST /policies/apply', apply)
    const { policies } = await viewer.ask<TableDetails>('GET /tables/details?schema=public&table=slow')
    expect(policies.map(({ name }) => name)).toContain('all')
    for (const action of ['preview_change', 'apply_change']) {
      const { entries } = await developer.ask<{ entries: readonly { after: unknown }[] }>(`GET /audit?action=${action}`)
      expect(entries[0]?.after, action).toMatchObject({ text: apply.sql })
    }
  })
})
