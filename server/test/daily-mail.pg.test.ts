import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { createPool, readCatalog, runAs, sql, type Catalog, type Pool } from '@holdfast/postgres'
import { claim, type Claimed } from '@holdfast/queue'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { beginDay, DIGEST_QUEUE, type DuePerson, finishDay, turnOff } from '../src/digest/queue.ts'
import { type Digest, readDigest } from '../src/digest/read-digest.ts'

// Whose turn it is, and what a daily mail says. That it is sent, and how it is turned off: tests/conformance/src/daily-mail.test.ts.

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`
const [ANN, BEN, CAI] = [id(1), id(2), id(3)] as const
const NAMES = [
  [ANN, 'ann'],
  [BEN, 'ben'],
  [CAI, 'cai'],
] as const

let database: TestDatabase
/** Columns of the tables that say whose turn it is may have types of the project, so they are read with its rights. */
let project: Pool
let catalog: Catalog
beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  project = createPool({ url: database.projectUrl, applicationName: 'test project', connectionsMax: 4 })
  for (const [user, name] of NAMES) {
    await database.pool.execute(sql`
      insert into auth.users (id, email, email_confirmed_at) values (${user}, ${`${name}@example.org`}, now())`)
  }
  await database.pool.query(sql`
    create table public.people (id uuid primary key default gen_random_uuid(), full_name text not null, user_id uuid)`)
  await database.pool.query(sql`
    create table public.visits (
      id uuid primary key default gen_random_uuid(), title text not null, visitor_id uuid references public.people (id), day date, done_at timestamptz, state text,
      is_hidden boolean not null default false)`)
  await database.pool.query(sql`alter table public.people enable row level security`)
  await database.pool.query(sql`alter table public.visits enable row level security`)
  await database.pool.query(sql`grant select on public.people, public.visits to authenticated`)
  await database.pool.query(sql`create policy everybody on public.people for select to authenticated using (true)`)
  await database.pool.query(
    sql`create policy visible on public.visits for select to authenticated using (not is_hidden)`,
  )
  // As tables made in the app: people are members of the workspace.
  await database.pool.query(sql`
    create table public.repairs (
      id uuid primary key default gen_random_uuid(), title text not null, owner uuid references holdfast.members (id) on delete set null, due date, state text)`)
  await database.pool.query(sql`alter table public.repairs enable row level security`)
  await database.pool.query(sql`grant select on public.repairs to authenticated`)
  await database.pool.query(sql`create policy visible on public.repairs for select to authenticated using (true)`)
  for (const [user, name] of NAMES)
    await database.pool.execute(
      sql`insert into public.people (id, full_name, user_id) values (${user}, ${name}, ${user})`,
    )
  catalog = await readCatalog(database.pool)
})
beforeEach(() =>
  database.pool.execute(sql`
    truncate holdfast.workspaces, holdfast.daily_mails, holdfast.mail_settings, holdfast.comments, holdfast.read_marks, public.visits cascade`),
)
afterAll(async () => {
  await project[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

/** A workspace in which everybody is. @param zone - its time zone */
async function addWorkspace(zone: string): Promise<void> {
  await database.pool.execute(sql`
    with made as (insert into holdfast.workspaces (name, time_zone, language) values ('Water', ${zone}, 'de') returning id)
    insert into holdfast.members (workspace_id, user_id, role, name)
    select made.id, u.id, 'owner', u.email from made, auth.users u`)
}
/** As a server does. */
async function claimPeople(pool: Pool, hour: number): Promise<readonly (DuePerson & Claimed)[]> {
  await beginDay(pool, hour)
  return claim<DuePerson>(pool, DIGEST_QUEUE, 100)
}
const claimed = async (hour: number): Promise<readonly string[]> =>
  (await claimPeople(project, hour)).map(({ userId }) => userId).toSorted()
/** The hour that it is now in a zone, as Postgres has it, and the day. */
async function thereIn(zone: string): Promise<{ readonly hour: number; readonly day: string }> {
  const [there] = await database.pool.query<{ hour: number; day: string }>(sql`
    select extract(hour from now() at time zone ${zone})::integer as hour, (now() at time zone ${zone})::date::text as day`)
  if (!there) throw new Error('Postgres knows what time it is')
  return there
}

test('people are taken from the hour on that it is in their workspace, once a day, however many servers ask', async () => {
  // The hour there is neither that of UTC nor of this machine.
  const zone = 'Asia/Kathmandu'
  await addWorkspace(zone)
  const { hour, day } = await thereIn(zone)
  if (hour < 23) expect(await claimed(hour + 1)).toEqual([])
  const servers = await Promise.all(Array.from({ length: 4 }, () => claimPeople(project, hour)))
  const people = servers.flat()
  expect(people.map(({ userId }) => userId).toSorted()).toEqual([ANN, BEN, CAI])
  expect(people[0]).toMatchObject({ timeZone: zone, day, language: 'de', workspace: 'Water', since: null })
  expect(await claimed(0)).toEqual([])

  for (const person of people) expect(await finishDay(project, person, person.userId === ANN)).toBe(true)
  expect(await finishDay(project, people[0] as DuePerson & Claimed, true), 'a server that comes late').toBe(false)
  await database.pool.execute(sql`update holdfast.daily_mails set due_at = now() - interval '1 hour'`)
  expect(await claimed(0), 'on the same day').toEqual([])
  await database.pool.execute(sql`update holdfast.daily_mails set day = day - 1`)
  const next = await claimPeople(project, 0)
  expect(next.map(({ userId, since }) => [userId, since !== null]).toSorted()).toEqual([
    [ANN, true],
    [BEN, false],
    [CAI, false],
  ])
})

test('what could not be read is tried three times on a day, and then the next day', async () => {
  await addWorkspace('UTC')
  await turnOff(project, BEN)
  await turnOff(project, CAI)
  for (let attempt = 1; attempt <= 3; attempt++) {
    expect(await claimed(0)).toEqual([ANN])
    expect(await claimed(0), 'while it is under way').toEqual([])
    await database.pool.execute(sql`update holdfast.daily_mails set due_at = now() - interval '1 second'`)
  }
  expect(await claimed(0)).toEqual([])
  await database.pool.execute(sql`update holdfast.daily_mails set day = day - 1`)
  expect(await claimed(0)).toEqual([ANN])
})

test('nobody is taken who is off, no member, banned, or has no confirmed address', async () => {
  expect(await claimed(0), 'without a workspace').toEqual([])
  await addWorkspace('UTC')
  const session = { role: 'authenticated', claims: { role: 'authenticated', sub: ANN } }
  await runAs(database.requestPool, session, (tx) => tx.query(sql`select holdfast.set_daily_mail(false, 'en')`))
  await database.pool.execute(sql`update auth.users set banned_until = now() + interval '1 day' where id = ${BEN}`)
  await database.pool.execute(sql`update auth.users set email_confirmed_at = null where id = ${CAI}`)
  expect(await claimed(0)).toEqual([])
  await runAs(database.requestPool, session, (tx) => tx.query(sql`select holdfast.set_daily_mail(true)`))
  expect((await claimPeople(project, 0)).map(({ userId, language }) => [userId, language])).toEqual([[ANN, 'en']])
  await expect(
    runAs(database.requestPool, session, (tx) => tx.query(sql`select from holdfast.mail_settings`)),
  ).rejects.toThrow('permission denied')
  await database.pool.execute(sql`update auth.users set banned_until = null, email_confirmed_at = now()`)
})

const read = (day = '2026-11-20', since: Date | null = null, timeZone = 'Europe/Berlin'): Promise<Digest> =>
  readDigest(database.requestPool, {
    catalog,
    claims: { role: 'authenticated', sub: ANN },
    userId: ANN,
    day,
    timeZone,
    since,
  })
const said = ({ items }: Digest): readonly (readonly [string, string | undefined, string | undefined])[] =>
  items.map(({ kind, title, text }) => [kind, title, text])

test('a mail names open work that is due by the day of the workspace, and nothing that the person may not see', async () => {
  await database.pool.execute(sql`
    insert into public.visits (title, visitor_id, day, state, is_hidden) values
      ('late', ${ANN}, '2026-11-19', 'open', false), ('today', ${ANN}, '2026-11-20', 'open', false), ('tomorrow', ${ANN}, '2026-11-21', 'open', false),
      ('done', ${ANN}, '2026-11-19', 'done', false), ('of Ben', ${BEN}, '2026-11-19', 'open', false), ('hidden', ${ANN}, '2026-11-19', 'open', true),
      ('long ago', ${ANN}, '2026-09-01', 'open', false)`)
  expect(said(await read())).toEqual([
    ['overdue', 'late', undefined],
    ['due', 'today', undefined],
  ])
  expect(said(await read('2026-11-21'))).toHaveLength(3)
  // The day has begun in Berlin at 23:00 UTC of the day before.
  expect((await read('2026-11-20', new Date('2026-11-19T22:59:00Z'))).isNew).toBe(true)
  expect((await read('2026-11-20', new Date('2026-11-19T23:01:00Z'))).isNew).toBe(false)
})

test('a mail goes by what the owner says the fields are', async () => {
  await database.pool.execute(sql`
    insert into public.visits (title, visitor_id, day, done_at, state) values
      ('over', ${ANN}, null, '2026-11-18T23:30:00Z', 'open'), ('today', ${ANN}, null, '2026-11-19T23:30:00Z', 'done'),
      ('shut', ${ANN}, null, '2026-11-18T12:00:00Z', 'Shut'), ('by its day', ${ANN}, '2026-11-18', null, 'open')`)
  await database.pool.execute(sql`
    insert into holdfast.fields (table_name, field_name, role, closed_choices) values ('visits', 'done_at', 'due', null), ('visits', 'state', null, '["Shut"]')`)
  expect(said(await read())).toEqual([
    ['overdue', 'over', undefined],
    ['due', 'today', undefined],
  ])
  await database.pool.execute(sql`delete from holdfast.fields where table_name = 'visits'`)
})

test('a mail names work that is assigned to a member of the workspace', async () => {
  await addWorkspace('Europe/Berlin')
  await database.pool.execute(sql`
    insert into public.repairs (title, owner, due, state)
    select v.title, m.id, v.due::date, v.state
      from (values ('pump', ${ANN}, '2026-11-19', 'Open'), ('lamp', ${ANN}, '2026-11-19', 'Done'), ('of Ben', ${BEN}, '2026-11-19', 'Open')) v (title, who, due, state)
      join holdfast.members m on m.user_id::text = v.who`)
  expect(said(await read())).toEqual([['overdue', 'pump', undefined]])
})

test('a mail names comments for the person until they have read them, and is not news twice', async () => {
  const [visit] = await database.pool.query<{ id: string }>(
    sql`insert into public.visits (title, visitor_id) values ('Elmcroft', ${ANN}) returning id`,
  )
  const record = visit?.id ?? ''
  await database.pool.execute(sql`
    with team as (insert into holdfast.teams (name, area) values ('North', 'N') returning id)
    insert into holdfast.team_members (team_id, user_id) select team.id, ${ANN} from team`)
  const comment = (
    body: string,
    author: string,
    area: string,
    mentions: readonly string[],
    hoursAgo: number,
  ): Promise<unknown> =>
    database.pool.execute(sql`
      insert into holdfast.comments (table_name, record_id, body, author_id, area, mentions, created_at)
      values ('visits', ${record}, ${body}, ${author}, ${area}, ${JSON.stringify(mentions)}::jsonb, now() - ${hoursAgo} * interval '1 hour')`)
  await comment('look @ann', BEN, 'N', [ANN], 2)
  await comment('about her work', BEN, 'N', [], 3)
  await comment('her own', ANN, 'N', [], 0)
  await comment('in an area that she is not in @ann', BEN, 'S', [ANN], 1)
  const digest = await read()
  expect(digest.items.map(({ kind, who, title, text }) => [kind, who, title, text])).toEqual([
    ['mention', 'ben', 'Elmcroft', 'look @ann'],
    ['comment', 'ben', 'Elmcroft', 'about her work'],
  ])
  expect(digest.isNew).toBe(true)
  expect((await read('2026-11-20', new Date())).isNew).toBe(false)
  await database.pool.execute(sql`
    insert into holdfast.read_marks (owner_id, table_name, record_id, read_at) values (${ANN}, 'visits', ${record}, now())`)
  expect((await read()).items).toEqual([])
})
