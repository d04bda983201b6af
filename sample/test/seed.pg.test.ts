/**
 * The sample is exactly as large as promised, the same on every machine, whole or absent, and its rows obey the keys and lifecycles that
 * the seed skips for speed. All rules are looked up here with SQL of their own.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authMigrations, hashPassword } from '@holdfast/auth'
import { silentLogger, type Clock } from '@holdfast/foundation'
import { quoteIdentifier, sql } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { sampleAccounts, SAMPLE_PASSWORD } from '../src/accounts.ts'
import { generateSample } from '../src/generate.ts'
import { SAMPLE_SEED, seedSample } from '../src/seed.ts'
import { SIZES } from '../src/sizes.ts'

const serverMigrations = { name: 'server', directory: new URL('../../server/migrations/', import.meta.url) }
const NOON: Clock = { now: () => Date.UTC(2031, 4, 17, 12) }
const TODAY = '2031-05-17'

function openEmptyDatabase(): Promise<TestDatabase> {
  return openTestDatabase({ migrations: [authMigrations, serverMigrations] })
}

function seedInto(database: TestDatabase, clock = NOON): Promise<{ readonly seeded: boolean }> {
  return seedSample({
    pool: database.pool,
    logger: silentLogger,
    clock,
    hashPassword: async (password) => `hash of ${password}`,
  })
}

let database: TestDatabase

beforeAll(async () => {
  database = await openEmptyDatabase()
  await seedInto(database)
})

afterAll(() => database[Symbol.asyncDispose]())

async function count(condition: ReturnType<typeof sql>): Promise<number> {
  const [row] = await database.pool.query<{ count: number }>(sql`select count(*)::int4 as count from ${condition}`)
  return row?.count ?? -1
}

const PROMISED: readonly (readonly [table: string, rows: number])[] = [
  ['public.regions', 5],
  ['holdfast.workspaces', 1],
  ['holdfast.members', 46],
  ['holdfast.teams', 7],
  ['public.people', 46],
  ['public.sites', 84],
  ['public.assets', 1_260],
  ['public.templates', 12],
  ['public.template_items', 180],
  ['public.inspections', 1_450],
  ['public.answers', 21_000],
  ['public.findings', 3_100],
  ['public.photos', 4_200],
  ['public.actions', 2_600],
  ['holdfast.comments', 6_900],
  ['holdfast.views', 7],
]

describe('the size', () => {
  test.each(PROMISED)('%s has %i rows', async (table, rows) => {
    expect(await count(sql.trusted(table))).toBe(rows)
  })

  test('is that of twelve tables with 27 links between them and to teams', async () => {
    expect(await count(sql`pg_tables where schemaname = 'public'`)).toBe(12)
    const links = sql`pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and confrelid <> 'auth.users'::regclass`
    expect(await count(links)).toBe(27)
  })
})

describe('the same sample', () => {
  test('has the same ids and words on another day, and other dates', () => {
    const nextMonth: Clock = { now: () => NOON.now() + 31 * 86_400_000 }
    const isDate = /^\d{4}-\d{2}-\d{2}/
    const withoutDates = (key: string, value: unknown): unknown =>
      typeof value === 'string' && isDate.test(value) ? undefined : value
    const today = generateSample(SAMPLE_SEED, NOON)
    const later = generateSample(SAMPLE_SEED, nextMonth)

    expect(JSON.stringify(later, withoutDates) === JSON.stringify(today, withoutDates)).toBe(true)
    expect(JSON.stringify(later) === JSON.stringify(today)).toBe(false)
  })

  test('has other contents for another seed', () => {
    const one = generateSample(1, NOON).tables.find(({ table }) => table === 'sites')
    const two = generateSample(2, NOON).tables.find(({ table }) => table === 'sites')
    expect(one?.rows[0]).not.toEqual(two?.rows[0])
  })

  test('reaches Postgres with the ids that were generated', async () => {
    for (const { schema, table, rows } of generateSample(SAMPLE_SEED, NOON).tables) {
      const ids = await database.pool.query<{ id: string }>(
        sql`select id from ${sql.identifier(schema, table)} order by id`,
      )
      expect(ids.map(({ id }) => id)).toEqual(rows.map((row) => (row as { readonly id: string }).id).sort())
    }
  })
})

describe('seeding', () => {
  test('does nothing the second time', async () => {
    const before = await count(sql`public.actions`)
    expect(await seedInto(database)).toMatchObject({ seeded: false })
    expect(await count(sql`public.actions`)).toBe(before)
  })

  test('happens once when two servers start together', async () => {
    await using shared = await openEmptyDatabase()
    const outcomes = await Promise.all([seedInto(shared), seedInto(shared)])
    expect(outcomes.filter(({ seeded }) => seeded)).toHaveLength(1)
  })

  test('leaves nothing behind when it fails at the end', async () => {
    await using broken = await openEmptyDatabase()
    await broken.pool.execute(sql`alter table holdfast.comments add constraint nothing_goes check (false)`)

    await expect(seedInto(broken)).rejects.toMatchObject({ code: '23514', constraint: 'nothing_goes' })

    const [left] = await broken.pool.query<object>(sql`
      select (select count(*)::int4 from auth.users) as users,
             (select count(*)::int4 from holdfast.teams) as teams,
             (select count(*)::int4 from holdfast.settings) as settings,
             (select count(*)::int4 from pg_tables where schemaname = 'public') as tables
    `)
    expect(left).toEqual({ users: 0, teams: 0, settings: 0, tables: 0 })
  })

  test('leaves a table of the same name alone', async () => {
    await using own = await openEmptyDatabase()
    await own.pool.execute(sql`create table public.actions (note text)`)
    await expect(seedInto(own)).rejects.toMatchObject({ code: '42P07' })
    expect(await own.pool.query(sql`select note from public.actions`)).toEqual([])
  })

  test('stores the password as the auth service does', async () => {
    await using real = await openEmptyDatabase()
    await seedSample({ pool: real.pool, logger: silentLogger, clock: NOON, hashPassword })
    const hashes = await real.pool.query<{ hash: string }>(
      sql`select distinct encrypted_password as hash from auth.users`,
    )
    expect(hashes).toHaveLength(1)
    expect(hashes[0]?.hash).toMatch(/^\$2[aby]\$/)
    expect(hashes[0]?.hash).not.toContain(SAMPLE_PASSWORD)
  })

  test('makes accounts that are confirmed and have an identity', async () => {
    const usable = sql`
      auth.users u join auth.identities i on i.user_id = u.id and i.email = u.email and i.provider = 'email'
      where u.email_confirmed_at is not null and u.encrypted_password = 'hash of holdfast-sample'
    `
    expect(await count(usable)).toBe(SIZES.people)
    for (const { email, name } of sampleAccounts) {
      expect(
        await count(
          sql`public.people p join auth.users u on u.id = p.user_id where u.email = ${email} and p.name = ${name}`,
        ),
      ).toBe(1)
    }
  })
})

describe('the rows', () => {
  test('obey every foreign key', async () => {
    const keys = await database.pool.query<{ child: string; parent: string; key: string; target: string }>(sql`
      select c.conrelid::regclass::text as child, c.confrelid::regclass::text as parent, a.attname as key, b.attname as target
        from pg_constraint c
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
        join pg_attribute b on b.attrelid = c.confrelid and b.attnum = c.confkey[1]
       where c.contype = 'f' and c.connamespace in ('public'::regnamespace, 'holdfast'::regnamespace)
    `)
    expect(keys.length).toBeGreaterThan(30)
    for (const { child, parent, key, target } of keys) {
      const column = sql.trusted(`c.${quoteIdentifier(key)}`)
      const orphans = await count(sql`
        ${sql.trusted(child)} c where ${column} is not null
          and not exists (select 1 from ${sql.trusted(parent)} p where p.${sql.identifier(target)} = ${column})
      `)
      expect(`${child}.${key}: ${orphans}`).toBe(`${child}.${key}: 0`)
    }
  })

  test('make everybody a member of the workspace, whose teams have members and no guests; no mail goes to anybody by itself', async () => {
    const roles = await database.pool.query<{ role: string; people: number }>(sql`
      select m.role, count(*)::int4 as people from holdfast.members m join public.people p on p.user_id = m.user_id and p.name = m.name
       group by m.role order by m.role`)
    expect(roles).toEqual([
      { role: 'guest', people: 9 },
      { role: 'commenter', people: 3 },
      { role: 'editor', people: 31 },
      { role: 'admin', people: 2 },
      { role: 'owner', people: 1 },
    ])
    expect(await count(sql`holdfast.teams t join holdfast.workspaces w on w.id = t.workspace_id`)).toBe(7)
    const misplaced = sql`
      holdfast.team_members t left join holdfast.members m on m.user_id = t.user_id and m.role <> 'guest' where m.id is null`
    expect(await count(misplaced)).toBe(0)
    expect(await count(sql`holdfast.mail_settings where not daily_mail`)).toBe(SIZES.people)
  })

  test('hold 37 overdue actions in the North, five of them with the company of Sam Reyes, each with a photo', async () => {
    const overdue = sql`
      public.actions a
      join public.sites s on s.id = a.site_id
      join public.regions r on r.id = s.region_id
      where r.name = 'North' and a.due_on < ${TODAY}::date and a.state not in ('verified', 'dropped')
    `
    const ofSam = sql`and a.contractor_id = (select contractor_id from public.people where name = 'Sam Reyes')`
    expect(await count(overdue)).toBe(37)
    expect(await count(sql`${overdue} ${ofSam}`)).toBe(5)
    expect(
      await count(sql`${overdue} and exists (select 1 from public.photos p where p.finding_id = a.finding_id)`),
    ).toBe(37)
    const inAWeek = sql`
      public.actions a join public.sites s on s.id = a.site_id join public.regions r on r.id = s.region_id
      where r.name = 'North' and a.due_on < ${TODAY}::date + 7 and a.state not in ('verified', 'dropped')
    `
    expect(await count(inAWeek)).toBe(37)
  })

  test('are not from the future', async () => {
    for (const table of ['inspections', 'answers', 'findings', 'photos', 'actions']) {
      const late = sql`${sql.identifier('public', table)} where greatest(created_at, updated_at) > '2031-05-17T12:00:00Z'`
      expect(await count(late)).toBe(0)
    }
    expect(await count(sql`holdfast.comments where created_at > '2031-05-17T12:00:00Z'`)).toBe(0)
  })

  const broken: readonly (readonly [string, ReturnType<typeof sql>])[] = [
    [
      'submitted inspections without a required answer',
      sql`public.inspections i join public.template_items t on t.template_id = i.template_id and t.required
        left join public.answers a on a.inspection_id = i.id and a.template_item_id = t.id
        where i.state in ('submitted', 'returned', 'approved') and a.id is null`,
    ],
    [
      'answers that call for a finding and have none',
      sql`public.answers a join public.template_items t on t.id = a.template_item_id
        where (t.finding_when in ('yes', 'no') and a.value_bool = (t.finding_when = 'yes')
            or t.finding_when = 'out_of_range' and (a.value_num < t.min or a.value_num > t.max)
            or t.kind = 'choice' and a.value_choice = t.finding_when)
          and not exists (select 1 from public.findings f where f.answer_id = a.id)`,
    ],
    [
      'readings whose range flag is wrong',
      sql`public.answers a join public.template_items t on t.id = a.template_item_id
        where a.is_out_of_range <> coalesce(a.value_num not between t.min and t.max, false)`,
    ],
    [
      'answers to a question of another template',
      sql`public.answers a join public.inspections i on i.id = a.inspection_id
        join public.template_items t on t.id = a.template_item_id where t.template_id <> i.template_id`,
    ],
    [
      'answers before the start',
      sql`public.answers a join public.inspections i on i.id = a.inspection_id
        where i.state in ('scheduled', 'cancelled')`,
    ],
    [
      'reviewed inspections without a reviewer',
      sql`public.inspections i left join public.people p on p.id = i.reviewer_id
        left join holdfast.team_members m on m.user_id = p.user_id and m.team_id = i.team_id and m.function = 'lead'
        where i.state in ('approved', 'returned') and m.id is null`,
    ],
    [
      'closed findings with unfinished actions',
      sql`public.findings f join public.actions a on a.finding_id = f.id
        where f.state = 'closed' and a.state not in ('verified', 'dropped')`,
    ],
    [
      'actions at another site than their finding',
      sql`public.actions a join public.findings f on f.id = a.finding_id where f.site_id <> a.site_id`,
    ],
    [
      'findings at another site than their inspection',
      sql`public.findings f join public.inspections i on i.id = f.inspection_id where i.site_id <> f.site_id`,
    ],
    [
      'photos of another inspection than their finding',
      sql`public.photos p join public.findings f on f.id = p.finding_id
        where p.inspection_id is distinct from f.inspection_id`,
    ],
    [
      'actions verified by a user who does not lead the team',
      sql`public.actions a join public.people p on p.id = a.verified_by
        left join holdfast.team_members m on m.user_id = p.user_id and m.team_id = a.team_id and m.function = 'lead'
        where a.state = 'verified' and m.id is null`,
    ],
    [
      'unfinished work at decommissioned sites',
      sql`public.sites s join public.actions a on a.site_id = s.id
        where s.status = 'decommissioned' and a.state not in ('verified', 'dropped')`,
    ],
    [
      'teams of another region than the site',
      sql`public.actions a join public.sites s on s.id = a.site_id
        join public.regions r on r.id = s.region_id join holdfast.teams t on t.id = a.team_id where t.area <> r.code`,
    ],
    [
      'answers of another area than their inspection',
      sql`public.answers a where a.area is distinct from sample.area_of('inspections', a.inspection_id)`,
    ],
    [
      'photos of another area than what they show',
      sql`public.photos p where p.area is distinct from case when p.inspection_id is null
        then sample.area_of('findings', p.finding_id) else sample.area_of('inspections', p.inspection_id) end`,
    ],
    [
      'comments of another area than their record',
      sql`holdfast.comments c where c.area is distinct from sample.area_of(c.table_name, c.record_id)`,
    ],
    [
      'replies to replies or to another record',
      sql`holdfast.comments c join holdfast.comments p on p.id = c.parent_id
        where p.parent_id is not null or p.record_id <> c.record_id or p.created_at > c.created_at`,
    ],
    [
      'assets that belong to one of another site',
      sql`public.assets a join public.assets p on p.id = a.parent_asset_id where p.site_id <> a.site_id`,
    ],
  ]
  test.each(broken)('have no %s', async (_title, rows) => {
    expect(await count(rows)).toBe(0)
  })

  test('leave free the numbers after theirs', async () => {
    const [row] = await database.pool.query<{ number: string }>(sql`
      insert into public.findings (site_id, title) select id, 'Loose cover' from public.sites limit 1 returning number
    `)
    expect(row?.number).toBe('FND-03101')
    await database.pool.execute(sql`delete from public.findings where number = 'FND-03101'`)
  })
})

test('every table and column of the sample has a label', async () => {
  const unlabelled = await database.pool.query<object>(sql`
    select c.table_name, c.column_name
      from information_schema.columns c
     where c.table_schema = 'public' and c.column_name not in ('id', 'created_at', 'updated_at')
       and col_description(format('%I.%I', c.table_schema, c.table_name)::regclass, c.ordinal_position) is null
  `)
  expect(unlabelled).toEqual([])
  const wordless = await database.pool.query<object>(sql`
    select conname from pg_constraint
     where contype = 'c' and connamespace in ('public'::regnamespace) and obj_description(oid, 'pg_constraint') is null
  `)
  expect(wordless).toEqual([])
})
