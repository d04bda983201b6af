import { expect, test } from 'vitest'
import type { Logger } from '@holdfast/foundation'
import type { CoverageReport } from '../src/inspect/coverage.ts'
import { ALICE, openWorld, type World } from './sync-world.ts'

// A row filter that fails, or takes for ever, for a row costs that row; one that does for all rows costs its table. Other rows do not wait for it.

const NOTES = `
  create table public.notes (id uuid primary key default gen_random_uuid(), title text);
  alter table public.notes enable row level security;
  create policy all_of_them on public.notes for select using (true);
`

/** Papers that everybody may read of whose title a function says so. */
const PAPERS = (body: string): string => `
  create table public.papers (id text primary key, title text);
  create function public.is_fine(title text) returns boolean language plpgsql immutable as $$
  begin
    ${body}
    return true;
  end $$;
  alter table public.papers enable row level security;
  create policy fine on public.papers for select using (public.is_fine(title));
`

const FOR_EVER = `
  if title = 'bad' then
    loop perform 1; end loop;
  end if;`

/** Some tenths of a second, and nothing that a function declared immutable must not do. */
const SLOW = `perform count(*) from generate_series(1, 4000000);`

const FAST = { statementMs: 150, rowMs: 0.1, retryMs: 300, tableMs: 60_000 }

const serviceKey = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')

async function coverageOf(world: World, table: string): Promise<CoverageReport['tables'][number] | undefined> {
  const response = await fetch(`${world.url}/sync/v1/coverage`, { headers: { authorization: `Bearer ${serviceKey}` } })
  return ((await response.json()) as CoverageReport).tables.find((one) => one.table === table)
}

test.each([
  ['takes for ever', FOR_EVER, '57014'],
  [
    'catches that it is cancelled and goes on',
    `if title = 'bad' then
       loop begin loop perform 1; end loop; exception when query_canceled then null; end; end loop;
     end if;`,
    '57014',
  ],
  ['raises an internal error', `if title = 'bad' then raise exception 'x' using errcode = 'XX000'; end if;`, 'XX000'],
  [
    'raises the code of a lost connection',
    `if title = 'bad' then raise exception 'x' using errcode = '57P01'; end if;`,
    '57P01',
  ],
  [
    'raises the code of a full disk',
    `if title = 'bad' then raise exception 'x' using errcode = '53100'; end if;`,
    '53100',
  ],
  ['calls itself without end', `if title = 'bad' then return public.is_fine(title); end if;`, '54001'],
])('a filter that %s for one row keeps that row from devices, and nothing else', async (_, body, sqlstate) => {
  // Only what takes for ever is to reach the limit, also on a slow machine.
  const rowLimits = sqlstate === '57014' ? FAST : { ...FAST, statementMs: 10_000 }
  await using world = await openWorld({ schema: NOTES + PAPERS(body), rowLimits })
  const alice = world.device(ALICE)
  alice.connect()
  await alice.until(() => alice.completed.length > 0)
  await world.run(
    `insert into public.papers select n::text, case when n = 7 then 'bad' end from generate_series(1, 40) n`,
  )
  await world.run(`insert into public.notes (title) values ('after it')`)
  await alice.until(() => alice.ids('notes').length === 1)
  expect(alice.ids('papers')).toHaveLength(39)
  expect(world.service.status().problem).toBeUndefined()
  const coverage = await coverageOf(world, 'public.papers')
  expect(coverage).toMatchObject({ synced: true, failing: [{ table: 'papers', of: 'row', sqlstate }] })
})

test('a row that has become one that takes for ever leaves devices, and comes back', async () => {
  await using world = await openWorld({ schema: NOTES + PAPERS(FOR_EVER), rowLimits: FAST })
  const alice = world.device(ALICE)
  alice.connect()
  await world.run(`insert into public.papers values ('1', 'good'), ('2', 'good')`)
  await alice.until(() => alice.ids('papers').length === 2)
  await world.run(`update public.papers set title = 'bad' where id = '1'`)
  await alice.until(() => alice.ids('papers').length === 1)
  await world.run(`update public.papers set title = 'good' where id = '1'`)
  await alice.until(() => alice.ids('papers').length === 2)
})

test('a row that takes for ever when it is deleted leaves devices, as its table is read again', async () => {
  // The row was valid when it was written: the function depends on a setting although it is declared immutable, which nothing detects.
  const setting = `create function public.setting(text, boolean) returns text language internal immutable
    as 'show_config_by_name_missing_ok';`
  const turning = `if title = 'bad' and public.setting('test.slow', true) = 'on' then loop perform 1; end loop; end if;`
  await using world = await openWorld({ schema: NOTES + setting + PAPERS(turning), rowLimits: FAST })
  const alice = world.device(ALICE)
  alice.connect()
  await world.run(`insert into public.papers values ('1', 'bad'), ('2', 'good')`)
  await alice.until(() => alice.ids('papers').length === 2)
  await world.run(`do $$ begin execute format('alter database %I set test.slow = on', current_database()); end $$`)
  await world.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'holdfast evaluator'`,
  )
  await world.run(`delete from public.papers where id = '1'`)
  await alice.until(() => alice.ids('papers').join() === '2')
  expect(world.service.status().problem).toBeUndefined()
})

test('a filter that takes long for every row ends its table, with the reason, until the function is another', async () => {
  await using world = await openWorld({ schema: NOTES + PAPERS(SLOW), rowLimits: { ...FAST, tableMs: 1_000 } })
  const alice = world.device(ALICE)
  alice.connect()
  await alice.until(() => alice.completed.length > 0)
  await world.run(`insert into public.papers select n::text from generate_series(1, 300) n`)
  await world.run(`insert into public.notes (title) values ('after it')`)
  await alice.until(() => alice.ids('notes').length === 1)
  expect(await coverageOf(world, 'public.papers')).toMatchObject({
    synced: false,
    refusedPolicy: 'fine',
    reason: expect.stringContaining('statement timeout') as string,
  })
  // Something else of the schema changes: the table is not tried again.
  await world.run(`create table public.others (id uuid primary key)`)
  await world.run(`insert into public.notes (title) values ('after that')`)
  await alice.until(() => alice.ids('notes').length === 2)
  expect(await coverageOf(world, 'public.papers')).toMatchObject({ synced: false })

  await world.run(
    `create or replace function public.is_fine(title text) returns boolean language sql immutable as 'select true'`,
  )
  await alice.until(() => alice.ids('papers').length === 300)
  expect(await coverageOf(world, 'public.papers')).toMatchObject({ synced: true })
})

test('a table that is slow when it is read for the first time does not hold up the others', async () => {
  const rows = `
    insert into public.papers select n::text from generate_series(1, 300) n;
    insert into public.notes (title) values ('there before');`
  await using world = await openWorld({
    schema: NOTES + PAPERS(SLOW) + rows,
    rowLimits: { ...FAST, tableMs: 1_000 },
  })
  const alice = world.device(ALICE)
  alice.connect()
  await alice.until(() => alice.ids('notes').length === 1)
  expect(await coverageOf(world, 'public.papers')).toMatchObject({ synced: false, refusedPolicy: 'fine' })
})

test('many rows that fail are one line in the log', async () => {
  const lines: unknown[] = []
  const logger: Logger = {
    // Of the other lines some come on a busy machine only, as that a transaction is waited for.
    log: (level, message, fields) =>
      level === 'warn' && message.includes('fails for a row') && lines.push({ message, fields }),
  }
  await using world = await openWorld({ schema: NOTES + PAPERS(`perform 1 / length(title);`), logger })
  const alice = world.device(ALICE)
  alice.connect()
  await alice.until(() => alice.completed.length > 0)
  await world.run(`insert into public.papers select n::text, '' from generate_series(1, 50) n`)
  await world.run(`insert into public.papers values ('good', 'good')`)
  await alice.until(() => alice.ids('papers').join() === 'good')
  expect(lines).toMatchObject([{ fields: { sqlstate: '22012' } }])
  expect((await coverageOf(world, 'public.papers'))?.failing).toMatchObject([{ of: 'row', count: 50 }])
})

test('rows that cannot be counted by access class, as the filter fails for one of them, still sync', async () => {
  const schema = `
    create table public.levels (user_id uuid primary key, level integer);
    insert into public.levels values ('${ALICE}', 5);
    create function public.my_level() returns integer language plpgsql stable security definer set search_path = public as
      $$ begin return (select level from levels where user_id = auth.uid()); end $$;
    create table public.offers (id text primary key, price integer, parts integer);
    insert into public.offers values ('cheap', 1, 1), ('poison', 1, 0), ('dear', 9, 1);
    alter table public.offers enable row level security;
    create policy affordable on public.offers for select using (price / parts < 100 and price <= public.my_level());
  `
  await using world = await openWorld({ schema: NOTES + schema })
  const alice = world.device(ALICE)
  alice.connect()
  await alice.until(() => alice.ids('offers').length > 0)
  expect(alice.ids('offers')).toEqual(['cheap'])
})
