import { sql } from '@holdfast/postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type OpenProject, openProject } from './open-project.ts'

// Event triggers of the project, which has no superuser: they fire for what it does itself, and nothing of them runs with other rights.

let opened: OpenProject
let ownTriggers: readonly unknown[]

beforeAll(async () => {
  opened = await openProject([])
  await asSuperuser(`
    create table public.ran (who text, session text);
    grant all on public.ran to postgres;
    create function public.make_table() returns void language plpgsql security definer set search_path = pg_catalog, pg_temp
      as $$ begin create table public.made_for_others (id int); drop table public.made_for_others; end $$`)
  ownTriggers = await triggers()
})
afterAll(() => opened[Symbol.asyncDispose]())
beforeEach(async () => {
  const rows = await opened.rows(`select evtname as name from pg_event_trigger where evtname !~ '^holdfast'`)
  for (const { name } of rows) await opened.rows(`select holdfast.drop_event_trigger('${String(name)}')`)
  await asSuperuser('truncate public.ran')
})

const migrate: OpenProject['migrate'] = (content) => opened.migrate(content)

async function asSuperuser(text: string): Promise<void> {
  await opened.database.pool.withClient(async (client) => {
    await client.query(`set statement_timeout = '10s'; ${text}`)
    await client.query('reset session authorization; reset all')
  })
}

async function triggers(): Promise<readonly unknown[]> {
  return await opened.rows(
    `select evtname, evtenabled, evtfoid from pg_event_trigger where evtname ~ '^holdfast' order by 1`,
  )
}

/** A function and an event trigger that calls it. */
const firing = (body: string, how = '', event = 'ddl_command_end'): string => `
  create or replace function public.watch() returns event_trigger language plpgsql ${how} as $f$ ${body} $f$;
  create event trigger watch on ${event} execute function public.watch();`

const TELL = `begin insert into public.ran values (current_user, session_user); end`

describe('an event trigger in a migration', () => {
  test('turns on row-level security of every new table, as the documented one does', async () => {
    await migrate(`
      create or replace function public.rls_auto_enable() returns event_trigger
        language plpgsql security definer set search_path = pg_catalog
      as $$
      declare cmd record;
      begin
        for cmd in select * from pg_event_trigger_ddl_commands()
          where command_tag in ('CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO') and object_type in ('table', 'partitioned table')
        loop
          execute format('alter table if exists %s enable row level security', cmd.object_identity);
        end loop;
      end;
      $$;
      drop event trigger if exists ensure_rls;
      create event trigger ensure_rls on ddl_command_end
        when tag in ('CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO')
        execute function public.rls_auto_enable();`)
    await migrate(`create table public.first (id int); create view public.seen as select 1 as one;`)
    await opened.rows(`create table public.second as select 1 as id`)

    expect(
      await opened.rows(
        `select relname, relrowsecurity as has from pg_class where relname in ('first', 'second') order by 1`,
      ),
    ).toEqual([
      { relname: 'first', has: true },
      { relname: 'second', has: true },
    ])
  })

  test('keeps its lines, and an error behind it has its own', async () => {
    await expect(
      migrate(`create function public.idle() returns event_trigger language plpgsql as 'begin end';
        create event trigger watch
          on sql_drop
          execute procedure idle();
        select nothing;`),
    ).rejects.toThrow(/line 5: .*nothing/)
  })

  test.each([`${TELL};`, `${TELL} -- done`, `/* of all */ <<all_of_it>> declare n int := 1; ${TELL} all_of_it ;  `])(
    'runs %j as the project',
    async (body) => {
      await migrate(firing(body))
      await opened.rows(`create table public.third (id int)`)
      await opened.rows(`drop table public.third`)
      expect(await opened.rows('select distinct * from public.ran')).toEqual([{ who: 'postgres', session: 'postgres' }])
    },
  )

  test('runs the text that its function has later, and goes with it', async () => {
    await migrate(firing(`begin raise 'first text'; end`))
    await expect(opened.rows('create table public.fourth (id int)')).rejects.toThrow('first text')
    await migrate(
      `alter event trigger watch disable; create or replace function public.watch() returns event_trigger language plpgsql as $f$ begin raise 'second text'; end $f$;`,
    )
    await opened.rows('create table public.fourth (id int)')
    await migrate('alter event trigger watch enable')
    await expect(opened.rows('drop table public.fourth')).rejects.toThrow('second text')
    await migrate(
      `drop event trigger watch; create or replace function public.watch() returns event_trigger language plpgsql as $f$ begin end $f$; ` +
        `create event trigger watch on sql_drop execute function public.watch();`,
    )
    await opened.rows('drop table public.fourth')
    await opened.rows('drop function public.watch() cascade')
    expect(await opened.rows(`select evtname from pg_event_trigger where evtname = 'watch'`)).toEqual([])
    await migrate(`${firing(TELL)} drop event trigger watch;`)
    expect(
      await opened.rows(
        `select from pg_proc where proname ~ '^event_trigger_' and pronamespace = 'holdfast'::regnamespace`,
      ),
    ).toEqual([])
  })
})

describe('a hostile event trigger', () => {
  const hostile: readonly (readonly [what: string, body: string, how?: string])[] = [
    ['makes the project a superuser', `begin alter role postgres superuser; end`],
    [
      'takes the role of the session',
      `begin reset role; reset session authorization; alter role postgres superuser; end`,
    ],
    ['drops event triggers of Holdfast', `begin drop event trigger holdfast_ddl; end`],
    ['drops event triggers of Holdfast as its owner', `begin drop event trigger holdfast_ddl; end`, 'security definer'],
    ['fails', `begin raise 'no change of the schema'; end`],
    ['takes itself away', `begin perform holdfast.drop_event_trigger('watch'); end`],
    ['never ends', `begin loop perform pg_sleep(1); end loop; end`],
    ['calls an operator of its own', `begin alter role postgres superuser; end`, `set search_path = evil, pg_catalog`],
  ]

  test.each(hostile)(
    'that %s fires for nobody but the project, and is dropped by a migration',
    async (_, body = '', how = '') => {
      await opened.rows(`create schema if not exists evil`)
      await opened.rows(`create or replace function evil.no(name, name) returns boolean language sql as 'select false'`)
      await opened
        .rows(`create operator evil.<> (leftarg = name, rightarg = name, function = evil.no)`)
        .catch(() => undefined) // made already
      for (const event of ['ddl_command_start', 'ddl_command_end', 'sql_drop']) {
        await migrate(firing(body, how, event))
        await asSuperuser('create table public.own (id int); alter table public.own add n int; drop table public.own')
        await asSuperuser('set search_path = evil, pg_catalog; create table public.own (id int); drop table public.own')
        await asSuperuser('set role postgres; create table public.own (id int); drop table public.own')
        await opened.rows('select public.make_table()')
        await migrate('drop event trigger if exists watch; create table public.own (id int); drop table public.own')
      }
      expect(await triggers()).toEqual(ownTriggers)
      expect(await opened.rows(`select rolsuper from pg_roles where rolname = 'postgres'`)).toEqual([
        { rolsuper: false },
      ])
    },
  )

  test('runs nothing as another role', async () => {
    await migrate(firing(TELL))
    await opened.rows('select public.make_table()')
    await asSuperuser(`set role postgres; create table public.own (id int); drop table public.own`)
    expect(await opened.rows('select * from public.ran')).toEqual([])
  })

  test('cannot change the copy that fires', async () => {
    await migrate(firing(TELL))
    const [{ copy } = {}] = await opened.rows(
      `select evtfoid::regprocedure::text as copy from pg_event_trigger where evtname = 'watch'`,
    )
    for (const change of [
      `alter function ${String(copy)} security definer`,
      `create or replace function ${String(copy)} returns event_trigger language plpgsql as 'begin end'`,
      `drop function ${String(copy)} cascade`,
      `insert into holdfast.event_triggers select 'holdfast_ddl', 0, 'now()'`,
    ])
      await expect(opened.rows(change)).rejects.toThrow(/must be owner|permission denied/)
  })

  test.each([
    ['an event of every session', firing('begin end', '', 'login'), /do not fire on "login"/],
    [
      'a setting that takes effect before the function',
      firing('begin end', 'set session_authorization = postgres'),
      /sets session_authorization/,
    ],
    [
      'a function of another owner',
      `create event trigger watch on sql_drop execute function holdfast.on_grant()`,
      /must be owner/,
    ],
    [
      'a function of another type',
      `create event trigger watch on sql_drop execute function now()`,
      /must return type event_trigger/,
    ],
    ['a name of Holdfast', firing('begin end').replace('trigger watch', 'trigger holdfast_own'), /reserved/],
    ['a drop of its own', 'drop event trigger holdfast_ddl', /must be owner of event trigger holdfast_ddl/],
    ['that it stops firing', 'alter event trigger holdfast_ddl disable', /must be owner of event trigger holdfast_ddl/],
    [
      'a path that is no list of names',
      `select set_config('search_path', 'public,x;alter/**/role/**/postgres/**/superuser', true);
       ${firing('begin end', 'set search_path from current')}`,
      /is no list of names/,
    ],
  ])('is refused %s', async (_, text, reason) => {
    await expect(migrate(text)).rejects.toThrow(reason)
    expect(await triggers()).toEqual(ownTriggers)
  })
})

test('outside of migrations Postgres leaves event triggers to superusers', async () => {
  await migrate(`create function public.later() returns event_trigger language plpgsql as 'begin end';`)
  await expect(
    opened.project.query(sql`create event trigger later on sql_drop execute function public.later()`),
  ).rejects.toThrow(/permission denied to create event trigger/)
  await expect(
    migrate(`do $$ begin create event trigger later on sql_drop execute function public.later(); end $$`),
  ).rejects.toMatchObject({ hint: expect.stringMatching(/statement of its own in a migration/) as string })
})
