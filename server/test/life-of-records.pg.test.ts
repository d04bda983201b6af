import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { createPool, runAs, sql, type Pool, type Session, type SqlFragment } from '@holdfast/postgres'
import { syncMigrations } from '@holdfast/sync'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

// What is kept about a record by its id is of one record in one workspace: an id that is used again, or belongs to somebody else, brings nothing along.

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`
const [OLGA, GUS, MARK, GINA, PIT, PLANT] = [id(1), id(2), id(3), id(4), id(5), id(6)] as const
const [WATER, GAS] = [id(7), id(8)] as const

let database: TestDatabase
/** As the migrations of the project run. */
let project: Pool

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, syncMigrations, serverMigrations] })
  project = createPool({ url: database.projectUrl, applicationName: 'test project', connectionsMax: 2 })
  const { pool } = database
  for (const user of [OLGA, GUS, MARK, GINA]) {
    await pool.execute(sql`insert into auth.users (id, email) values (${user}, ${`${user}@example.org`})`)
  }
  await pool.execute(sql`insert into holdfast.workspaces (id, name) values (${WATER}, 'Water'), (${GAS}, 'Gas')`)
  await pool.execute(sql`
    insert into holdfast.members (workspace_id, user_id, role, name) values
      (${WATER}, ${OLGA}, 'owner', 'Olga'), (${WATER}, ${GUS}, 'guest', 'Gus'),
      (${GAS}, ${MARK}, 'owner', 'Mark'), (${GAS}, ${GINA}, 'guest', 'Gina')`)
  // A table that says the workspace, one that says it by its team, and one that says it by its policies only.
  await project.execute(
    sql.trusted(`
    create table public.pits (id uuid primary key, workspace_id uuid references holdfast.workspaces, title text, is_locked boolean not null default false);
    create table public.jobs (id uuid primary key, team_id uuid references holdfast.teams, owner uuid, title text);
    create table public.notes (id uuid primary key, owner uuid, title text);
    do $do$
    declare
      one text;
      mine text;
    begin
      foreach one in array array['pits', 'jobs', 'notes'] loop
        mine := case one when 'pits' then '(select holdfast.role_in(workspace_id)) >= ''viewer''' else 'owner = (select auth.uid())' end;
        execute format('alter table public.%I enable row level security', one);
        execute format('grant select, insert, update, delete on public.%I to authenticated', one);
        execute format('create policy own on public.%I for select to authenticated using (%s)', one, mine);
        execute format('create policy own_add on public.%I for insert to authenticated with check (%s)', one, mine);
        execute format('create policy own_change on public.%I for update to authenticated using (%s) with check (%2$s)', one,
                       mine || case one when 'pits' then ' and not is_locked' else '' end);
        execute format('create policy own_delete on public.%I for delete to authenticated using (%s)', one, mine);
        execute format('create policy guests_read on public.%I for select to authenticated using (id in (select holdfast.shared_record_ids(%1$L)))', one);
        execute format('create policy guests_change on public.%I for update to authenticated using (id in (select holdfast.changeable_record_ids(%1$L))) with check (true)', one);
      end loop;
    end
    $do$;
    select holdfast.track('public.notes')`),
  )
})
beforeEach(async () => {
  await project.execute(sql`truncate public.pits, public.jobs, public.notes`)
  await database.pool.execute(sql`truncate holdfast.teams cascade`)
  await database.pool.execute(sql`delete from holdfast.comments`)
  await database.pool.execute(sql`delete from holdfast.history`)
})
afterAll(async () => {
  await project[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const sessionOf = (sub: string): Session => ({ role: 'authenticated', claims: { role: 'authenticated', sub } })
const asked = <Row extends object>(who: string, query: SqlFragment): Promise<readonly Row[]> =>
  runAs(database.requestPool, sessionOf(who), (tx) => tx.query<Row>(query))
const done = (who: string, query: SqlFragment): Promise<number> =>
  runAs(database.requestPool, sessionOf(who), (tx) => tx.execute(query))
const share = (
  who: string,
  whom: string,
  table: string,
  record: string,
  { workspace = who === OLGA ? WATER : GAS, mayChange = false } = {},
): Promise<number> =>
  done(
    who,
    sql`insert into holdfast.shares (workspace_id, user_id, table_name, record_id, may_change)
        values (${workspace}, ${whom}, ${table}, ${record}, ${mayChange})`,
  )
const titles = async (who: string, table: string): Promise<readonly string[]> =>
  (await asked<{ title: string }>(who, sql`select title from public.${sql.identifier(table)} order by title`)).map(
    ({ title }) => title,
  )
const addPit = (record = PIT, workspace = WATER, isLocked = false): Promise<number> =>
  project.execute(
    sql`insert into public.pits (id, workspace_id, title, is_locked) values (${record}, ${workspace}, 'Pit', ${isLocked})`,
  )
const shares = (): Promise<readonly object[]> => database.pool.query(sql`select from holdfast.shares`)
const REFUSED = { code: '42501', hint: 'share.record' }

describe('a share', () => {
  test('of a record of another workspace is refused, to read and to change, and says nothing of it', async () => {
    await addPit()
    for (const mayChange of [false, true]) {
      await expect(share(MARK, GINA, 'pits', PIT, { mayChange })).rejects.toMatchObject(REFUSED)
      await expect(share(MARK, GINA, 'pits', PLANT, { mayChange })).rejects.toMatchObject(REFUSED)
    }
    for (const whom of [GUS, GINA]) {
      await expect(share(MARK, whom, 'pits', PIT, { workspace: WATER })).rejects.toMatchObject(REFUSED)
    }
    expect(await titles(GINA, 'pits')).toEqual([])
    await share(OLGA, GUS, 'pits', PIT)
    expect(await titles(GUS, 'pits')).toEqual(['Pit'])
    expect(await done(GUS, sql`update public.pits set title = 'Mine'`)).toBe(0)
  })

  test('of a record that somebody of both workspaces reads is of the workspace of the record alone', async () => {
    await addPit()
    await database.pool.execute(
      sql`insert into holdfast.members (workspace_id, user_id, role, name) values (${WATER}, ${MARK}, 'viewer', 'Mark')`,
    )
    try {
      expect(await titles(MARK, 'pits')).toEqual(['Pit'])
      await expect(share(MARK, GINA, 'pits', PIT)).rejects.toMatchObject(REFUSED)
    } finally {
      await database.pool.execute(sql`delete from holdfast.members where user_id = ${MARK} and workspace_id = ${WATER}`)
    }
  })

  test('for changing needs whoever shares to be able to change the record, at once and later', async () => {
    await addPit(PIT, WATER, true)
    await expect(share(OLGA, GUS, 'pits', PIT, { mayChange: true })).rejects.toMatchObject(REFUSED)
    await share(OLGA, GUS, 'pits', PIT)
    await expect(done(OLGA, sql`update holdfast.shares set may_change = true`)).rejects.toMatchObject(REFUSED)
    await project.execute(sql`update public.pits set is_locked = false`)
    expect(await done(OLGA, sql`update holdfast.shares set may_change = true`)).toBe(1)
    expect(await done(GUS, sql`update public.pits set title = 'Changed'`)).toBe(1)
  })

  test.each([
    ['is deleted', `delete from public.pits`],
    ['is deleted with all others', `truncate public.pits`],
    ['goes to another workspace', `update public.pits set workspace_id = '${GAS}'`],
    ['is of no workspace any more', `update public.pits set workspace_id = null`],
    ['gets another id', `update public.pits set id = '${PLANT}'`],
  ])('ends when the record %s, and whoever has the id then is not shared', async (_, statement) => {
    await addPit()
    await share(OLGA, GUS, 'pits', PIT)
    await project.execute(sql`update public.pits set title = 'Dry pit'`)
    expect(await titles(GUS, 'pits')).toEqual(['Dry pit'])
    await project.execute(sql.trusted(statement))
    await project.execute(
      sql`insert into public.pits (id, workspace_id, title) values (${PIT}, ${GAS}, 'Other') on conflict do nothing`,
    )
    expect(await titles(GUS, 'pits')).toEqual([])
    expect(await shares()).toEqual([])
  })

  test('is of the workspace that the team of a record says', async () => {
    const [team, other] = [id(5), id(6)]
    await database.pool.execute(
      sql`insert into holdfast.teams (id, workspace_id, name) values (${team}, ${WATER}, 'A'), (${other}, ${GAS}, 'B')`,
    )
    await project.execute(
      sql`insert into public.jobs (id, team_id, owner, title) values (${PIT}, ${team}, ${OLGA}, 'a'), (${PLANT}, ${other}, ${OLGA}, 'b')`,
    )
    await expect(share(OLGA, GUS, 'jobs', PLANT)).rejects.toMatchObject(REFUSED)
    await share(OLGA, GUS, 'jobs', PIT)
    await project.execute(sql`update public.jobs set owner = ${MARK}`)
    expect(await titles(GUS, 'jobs')).toEqual(['a'])
    await project.execute(sql`update public.jobs set team_id = ${other}`)
    expect(await titles(GUS, 'jobs')).toEqual([])
  })

  test('of a record whose policies alone say whose it is ends when what they ask for changes', async () => {
    await project.execute(sql`insert into public.notes (id, owner, title) values (${PIT}, ${OLGA}, 'a')`)
    await expect(share(MARK, GINA, 'notes', PIT)).rejects.toMatchObject(REFUSED)
    await share(OLGA, GUS, 'notes', PIT)
    await project.execute(sql`update public.notes set title = 'b'`)
    expect(await titles(GUS, 'notes')).toEqual(['b'])
    await project.execute(sql`update public.notes set owner = ${MARK}`)
    expect(await titles(GUS, 'notes')).toEqual([])
  })

  test('of a table that is made again, or called otherwise, starts with none', async () => {
    const make = sql.trusted(`
      create table public.tanks (id uuid primary key, title text); alter table public.tanks enable row level security;
      grant select on public.tanks to authenticated; create policy all_read on public.tanks for select to authenticated using (true);
      insert into public.tanks values ('${PIT}', 'Tank'), ('${PLANT}', 'Tank')`)
    const shared = (table = 'tanks'): Promise<unknown> =>
      asked(GUS, sql`select holdfast.shared_record_ids(${table}) id`)
    await project.execute(make)
    await share(OLGA, GUS, 'tanks', PIT)
    await project.execute(sql`drop table public.tanks`)
    await project.execute(make)
    await share(OLGA, GUS, 'tanks', PLANT)
    expect(await shared()).toEqual([{ id: PLANT }])
    await project.execute(sql`alter table public.tanks rename to vats`)
    await share(OLGA, GUS, 'vats', PIT)
    expect([await shared(), await shared('vats')]).toEqual([[], [{ id: PIT }]])
    await project.execute(sql`alter table public.vats rename column id to key`)
    await project.execute(sql`delete from public.vats`)
    expect(await shared('vats')).toEqual([])
  })

  test('of what has no records that policies guard is refused by name', async () => {
    for (const table of ['nothing', 'hf_teams', 'users']) {
      await expect(share(OLGA, GUS, table, PIT)).rejects.toMatchObject({ hint: 'share.table' })
    }
  })
})

describe('a comment', () => {
  const say = (who: string, record: string, body: string): Promise<number> =>
    done(
      who,
      sql`insert into holdfast.comments (table_name, record_id, area, body, author_id) values ('notes', ${record}, 'N', ${body}, ${who})`,
    )
  const said = async (who: string): Promise<readonly unknown[]> =>
    (await asked<{ body: string }>(who, sql`select body from holdfast.comments order by body`)).map(({ body }) => body)

  beforeEach(async () => {
    const [team] = await database.pool.query<{ id: string }>(
      sql`insert into holdfast.teams (name, area) values ('North', 'N') returning id`,
    )
    await database.pool.execute(
      sql`insert into holdfast.team_members (team_id, user_id) values (${team?.id}, ${OLGA}), (${team?.id}, ${MARK})`,
    )
    await project.execute(sql`insert into public.notes (id, owner, title) values (${PIT}, ${OLGA}, 'a')`)
  })

  test('is made about a record that one may read', async () => {
    await expect(say(MARK, PIT, 'hers')).rejects.toMatchObject({ code: '42501', hint: 'comment.record' })
    expect(await say(OLGA, PIT, 'mine')).toBe(1)
  })

  test('of a record that was deleted is for nobody, whoever takes its id; the service key still has it', async () => {
    await say(OLGA, PIT, 'a secret')
    await done(OLGA, sql`delete from public.notes`)
    await done(MARK, sql`insert into public.notes (id, owner, title) values (${PIT}, ${MARK}, 'b')`)
    await say(MARK, PIT, 'new')
    expect(await said(MARK)).toEqual(['new'])
    await done(OLGA, sql`update holdfast.comments set is_past = false`)
    expect(await said(OLGA)).toEqual(['new'])
    expect(await database.pool.query(sql`select body from holdfast.comments where is_past`)).toEqual([
      { body: 'a secret' },
    ])
  })
})

describe('a history', () => {
  const changes = async (who: string, record = PIT): Promise<readonly unknown[]> =>
    (
      await asked<{ kind: string; changes: unknown }>(
        who,
        sql`select kind, changes from holdfast.history where record_id = ${record} order by id`,
      )
    ).map((one) => [one.kind, one.changes])

  test.each([
    [
      'was deleted',
      `delete from public.notes`,
      `insert into public.notes (id, owner, title) values ('${PIT}', '${MARK}', 'his')`,
    ],
    [
      'was deleted with all others',
      `truncate public.notes`,
      `insert into public.notes (id, owner, title) values ('${PIT}', '${MARK}', 'his')`,
    ],
    [
      'got another id',
      `update public.notes set id = '${GAS}' where id = '${PIT}'`,
      `insert into public.notes (id, owner, title) values ('${PIT}', '${MARK}', 'his')`,
    ],
    [
      'was deleted, by a record that took its id',
      `delete from public.notes where id = '${PIT}'`,
      `update public.notes set id = '${PIT}' where id = '${PLANT}'`,
    ],
  ])('of a record that %s is not that of the next one', async (_, goes, comes) => {
    await project.execute(
      sql`insert into public.notes (id, owner, title) values (${PIT}, ${OLGA}, 'secret'), (${PLANT}, ${MARK}, 'other')`,
    )
    await project.execute(sql`update public.notes set title = 'more secret' where id = ${PIT}`)
    expect(await changes(OLGA)).toHaveLength(2)
    await project.execute(sql.trusted(goes))
    await project.execute(sql.trusted(comes))
    expect(JSON.stringify(await changes(MARK))).not.toContain('secret')
    expect(await changes(MARK)).not.toEqual([])
    expect(await changes(OLGA)).toEqual([])
  })

  test('begins anew when nobody kept it for a time', async () => {
    await project.execute(sql`insert into public.notes (id, owner, title) values (${PIT}, ${OLGA}, 'secret')`)
    await project.execute(sql`select holdfast.untrack('public.notes', keep_rows => true)`)
    await project.execute(sql`delete from public.notes`)
    await project.execute(sql`insert into public.notes (id, owner, title) values (${PIT}, ${MARK}, 'his')`)
    await project.execute(sql`select holdfast.track('public.notes')`)
    expect(await changes(MARK)).toEqual([])
  })
})
