/**
 * What each kind of person sees equals the rule written by hand, row for row, and what they may not do is refused with a SQLSTATE and a
 * name that say why. The rules here are asked as the superuser and share no function with the policies.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { defined, silentLogger } from '@holdfast/foundation'
import { runAs, sql, type Session, type SqlFragment, type Transaction } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { seedSample } from '../src/seed.ts'

const serverMigrations = { name: 'server', directory: new URL('../../server/migrations/', import.meta.url) }

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  const { pool } = database
  await seedSample({
    pool,
    logger: silentLogger,
    clock: { now: () => Date.UTC(2031, 4, 17, 12) },
    hashPassword: async () => 'no hash',
  })
})

afterAll(() => database[Symbol.asyncDispose]())

/** A person signed in, by name; a name that no person has is an account without a person. */
async function sessionOf(name: string): Promise<Session> {
  const [user] = await database.pool.query<{ id: string }>(
    sql`select id from auth.users where raw_user_meta_data ->> 'name' = ${name}`,
  )
  return {
    role: 'authenticated',
    claims: { role: 'authenticated', sub: user?.id ?? 'cccccccc-0000-4000-8000-000000000000' },
  }
}

/** The value of the first column of the one row that the superuser sees. */
async function lookUp(query: SqlFragment): Promise<string> {
  const [row] = await database.pool.query<Record<string, string>>(sql`${query} limit 1`)
  return defined(Object.values(row ?? {})[0], 'the sample has such a row')
}

const TABLES = [
  'public.regions',
  'public.templates',
  'public.template_items',
  'public.contractors',
  'public.people',
  'public.sites',
  'public.assets',
  'public.inspections',
  'public.answers',
  'public.findings',
  'public.photos',
  'public.actions',
  'holdfast.workspaces',
  'holdfast.members',
  'holdfast.teams',
  'holdfast.team_members',
  'holdfast.comments',
] as const

/** For each table a condition on its row `t`. */
type Rules = Readonly<Record<(typeof TABLES)[number], string>>

const NOTHING = Object.fromEntries(TABLES.map((table) => [table, 'false'])) as unknown as Rules
const STRANGER: Rules = {
  ...NOTHING,
  'public.regions': 'true',
  'public.templates': 'true',
  'public.template_items': 'true',
}
const EVERYTHING = Object.fromEntries(TABLES.map((table) => [table, 'true'])) as unknown as Rules

const NORTH_SITES = `(select s.id from public.sites s, public.regions r where r.id = s.region_id and r.name = 'North')`
const NORTH_INSPECTIONS = `(select i.id from public.inspections i where i.site_id in ${NORTH_SITES})`
const NORTH_FINDINGS = `(select f.id from public.findings f where f.site_id in ${NORTH_SITES})`
const NORTH_ACTIONS = `(select a.id from public.actions a where a.site_id in ${NORTH_SITES})`
const NORTH: Rules = {
  ...STRANGER,
  'public.contractors': 'true',
  'public.people': `t.kind <> 'employee' or t.team_id = (select id from holdfast.teams where name = 'North')`,
  'public.sites': `t.id in ${NORTH_SITES}`,
  'public.assets': `t.site_id in ${NORTH_SITES}`,
  'public.inspections': `t.id in ${NORTH_INSPECTIONS}`,
  'public.answers': `t.inspection_id in ${NORTH_INSPECTIONS}`,
  'public.findings': `t.id in ${NORTH_FINDINGS}`,
  'public.photos': `t.inspection_id in ${NORTH_INSPECTIONS} or t.finding_id in ${NORTH_FINDINGS}`,
  'public.actions': `t.id in ${NORTH_ACTIONS}`,
  // Members see the teams of the workspace; their records stay those of their area.
  'holdfast.workspaces': 'true',
  'holdfast.members': 'true',
  'holdfast.teams': 'true',
  'holdfast.team_members': 'true',
  'holdfast.comments': `t.record_id in ${NORTH_INSPECTIONS} or t.record_id in ${NORTH_FINDINGS} or t.record_id in ${NORTH_ACTIONS}`,
}

const SOUTH = ['South', 'South treatment']
const SOUTH_TEAMS = `(select id from holdfast.teams where name in ('${SOUTH.join("', '")}'))`

const SAMS = `(select contractor_id from public.people where name = 'Sam Reyes')`
const SAM: Rules = {
  ...STRANGER,
  'public.contractors': `t.name = 'Calder Valve Services'`,
  'public.people': `t.contractor_id = ${SAMS} or t.team_id in (select team_id from public.actions where contractor_id = ${SAMS})`,
  'public.sites': `t.id in (select site_id from public.actions where contractor_id = ${SAMS})`,
  'public.findings': `t.id in (select finding_id from public.actions where contractor_id = ${SAMS})`,
  'public.photos': `t.finding_id in (select finding_id from public.actions where contractor_id = ${SAMS})`,
  'public.actions': `t.contractor_id = ${SAMS}`,
  'holdfast.workspaces': 'true',
  'holdfast.members': `t.name = 'Sam Reyes'`,
  'holdfast.teams': `t.id in (select team_id from public.actions where contractor_id = ${SAMS})`,
  'holdfast.comments': `t.table_name = 'actions' and t.record_id in (select id from public.actions where contractor_id = ${SAMS})`,
}

const audience: readonly (readonly [name: string, rules: Rules])[] = [
  ['an account without a person', STRANGER],
  ['Dana Okafor', NORTH],
  ['Mina Kaya', NORTH],
  ['Sam Reyes', SAM],
  ['Ruth Adler', EVERYTHING],
]

async function idsOf(tx: Pick<Transaction, 'query'>, table: string, condition: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    sql`select t.id from ${sql.trusted(table)} t where ${sql.trusted(condition)} order by t.id`,
  )
  return rows.map(({ id }) => id)
}

describe.each(audience)('%s sees', (name, rules) => {
  test.each(TABLES)('exactly the allowed rows of %s', async (table) => {
    const session = await sessionOf(name)
    const visible = await runAs(database.requestPool, session, (tx) => idsOf(tx, table, 'true'))
    expect(visible).toEqual(await idsOf(database.pool, table, rules[table]))
  })
})

describe('the slices', () => {
  test('differ in the ways that the sample shows', async () => {
    const actionsOf = async (name: string): Promise<number> =>
      (await runAs(database.requestPool, await sessionOf(name), (tx) => idsOf(tx, 'public.actions', 'true'))).length
    const [dana, mina, sam, ruth] = await Promise.all(
      ['Dana Okafor', 'Mina Kaya', 'Sam Reyes', 'Ruth Adler'].map(actionsOf),
    )
    expect(mina).toBe(dana)
    expect(dana).toBeGreaterThan(400)
    expect(sam).toBeGreaterThan(20)
    expect(sam).toBeLessThan(150)
    expect(ruth).toBe(2_600)
  })

  test('show five of the 37 overdue actions of the North to Sam', async () => {
    const overdue = `t.due_on < '2031-05-17' and t.state not in ('verified', 'dropped') and t.site_id in`
    const dana = await runAs(database.requestPool, await sessionOf('Dana Okafor'), (tx) =>
      idsOf(tx, 'public.actions', `${overdue} (select id from public.sites)`),
    )
    const sam = await runAs(database.requestPool, await sessionOf('Sam Reyes'), (tx) =>
      idsOf(
        tx,
        'public.actions',
        `${overdue} (select s.id from public.sites s join public.regions r on r.id = s.region_id where r.code = 'N')`,
      ),
    )
    expect(dana).toHaveLength(37)
    expect(sam).toHaveLength(5)
    expect(dana).toEqual(expect.arrayContaining(sam))
  })

  test('show the staff of both teams of a region to each other', async () => {
    const session = await sessionOf('Arjun Mehta')
    const employees = await runAs(database.requestPool, session, (tx) =>
      idsOf(tx, 'public.people', `t.kind = 'employee'`),
    )
    expect(employees).toEqual(await idsOf(database.pool, 'public.people', `t.team_id in ${SOUTH_TEAMS}`))
  })

  test.each(TABLES)('show no row of %s without a sign-in', async (table) => {
    const ids = runAs(database.requestPool, { role: 'anon', claims: { role: 'anon' } }, (tx) =>
      idsOf(tx, table, 'true'),
    )
    if (table.startsWith('holdfast.')) await expect(ids).rejects.toMatchObject({ code: '42501' })
    else expect(await ids).toEqual([])
  })

  test.each([
    ['Sam Reyes', `expires_at = now() - interval '1 second'`, `expires_at = null`],
    ['Sam Reyes', `status = 'deactivated'`, `status = 'active'`],
    ['Ruth Adler', `status = 'deactivated'`, `status = 'active'`],
    ['Dana Okafor', `role = 'guest'`, `role = 'owner'`],
  ])('end for %s with the access to the workspace: %s', async (name, end, begin) => {
    const session = await sessionOf(name)
    const recordsOf = (): Promise<readonly string[]> =>
      runAs(database.requestPool, session, async (tx) => [
        ...(await idsOf(tx, 'public.actions', 'true')),
        ...(await idsOf(tx, 'public.sites', 'true')),
      ])
    const set = (values: string): Promise<number> =>
      database.pool.execute(sql`update holdfast.members set ${sql.trusted(values)} where name = ${name}`)
    const teams = await database.pool.query<Record<string, string>>(
      sql`select team_id, user_id, function from holdfast.team_members where user_id = (select user_id from public.people where name = ${name})`,
    )
    // There is always an owner.
    await database.pool.execute(sql`update holdfast.members set role = 'owner' where name = 'Arjun Mehta'`)
    const before = await recordsOf()
    expect(before.length).toBeGreaterThan(0)
    try {
      await set(end)
      expect(await recordsOf()).toEqual([])
    } finally {
      await set(begin)
      for (const team of teams)
        await database.pool.execute(sql`
          insert into holdfast.team_members (team_id, user_id, function)
          values (${team['team_id']}, ${team['user_id']}, ${team['function']}) on conflict do nothing`)
      await database.pool.execute(sql`update holdfast.members set role = 'admin' where name = 'Arjun Mehta'`)
    }
    expect(await recordsOf()).toEqual(before)
  })

  test('show a guest what is shared with them, to be changed where it is, and nothing else of it', async () => {
    const sam = await sessionOf('Sam Reyes')
    const dana = await sessionOf('Dana Okafor')
    const foreign = `t.site_id not in (select site_id from public.actions where contractor_id = ${SAMS})`
    // Dana shares what she reads and changes herself.
    const hers = `${foreign} and t.site_id in ${NORTH_SITES}`
    const [finding, action, other] = await Promise.all([
      lookUp(
        sql`select t.id from public.findings t where ${sql.trusted(hers)} and t.id in (select finding_id from public.photos)`,
      ),
      lookUp(sql`select t.id from public.actions t where ${sql.trusted(hers)} and t.state = 'open'`),
      lookUp(sql`select t.id from public.actions t where ${sql.trusted(hers)} and t.state = 'doing'`),
    ])
    const share = (table: string, id: string, mayChange: boolean): Promise<number> =>
      runAs(database.requestPool, dana, (tx) =>
        tx.execute(sql`
          insert into holdfast.shares (workspace_id, user_id, table_name, record_id, may_change)
          select m.workspace_id, m.user_id, ${table}, ${id}, ${mayChange} from holdfast.members m where m.name = 'Sam Reyes'`),
      )
    const change = (id: string): Promise<number> =>
      runAs(database.requestPool, sam, (tx) => tx.execute(sql`update public.actions set priority = 1 where id = ${id}`))
    const seen = (table: string, condition: string): Promise<string[]> =>
      runAs(database.requestPool, sam, (tx) => idsOf(tx, table, condition))
    await share('findings', finding, false)
    await share('actions', action, true)
    await share('actions', other, false)
    try {
      expect(await seen('public.findings', `t.id = '${finding}'`)).toEqual([finding])
      expect(await seen('public.photos', `t.finding_id = '${finding}'`)).toEqual(
        await idsOf(database.pool, 'public.photos', `t.finding_id = '${finding}'`),
      )
      expect(await seen('public.actions', foreign)).toEqual([action, other].sort())
      expect([await change(action), await change(other)]).toEqual([1, 0])
    } finally {
      await database.pool.execute(sql`delete from holdfast.shares`)
    }
    expect(await seen('public.actions', `t.id in ('${action}', '${other}')`)).toEqual([])
  })

  test('show the photos of findings that no inspection made', async () => {
    const loose = `t.inspection_id is null and t.finding_id in ${NORTH_FINDINGS}`
    const ids = await idsOf(database.pool, 'public.photos', loose)
    expect(ids.length).toBeGreaterThan(0)
    expect(
      await runAs(database.requestPool, await sessionOf('Mina Kaya'), (tx) =>
        idsOf(tx, 'public.photos', 't.inspection_id is null'),
      ),
    ).toEqual(ids)
  })

  test('show an operator all teams and no record of the domain', async () => {
    const session = {
      role: 'authenticated',
      claims: { sub: 'cccccccc-0000-4000-8000-000000000000', app_metadata: { holdfast_operator: true } },
    }
    expect(await runAs(database.requestPool, session, (tx) => idsOf(tx, 'holdfast.teams', 'true'))).toHaveLength(7)
    expect(await runAs(database.requestPool, session, (tx) => idsOf(tx, 'public.actions', 'true'))).toEqual([])
  })

  test('follow a site into another region, comments and all', async () => {
    const site = await lookUp(sql`select id from public.sites where id in ${sql.trusted(NORTH_SITES)}`)
    const comments = `t.record_id in (select id from public.actions where site_id = '${site}')`
    const before = await idsOf(database.pool, 'holdfast.comments', comments)
    expect(before.length).toBeGreaterThan(0)
    const tomas = await sessionOf('Tomas Lindgren')
    const move = (code: string): Promise<number> =>
      database.pool.execute(
        sql`update public.sites set region_id = (select id from public.regions where code = ${code}) where id = ${site}`,
      )

    await move('E')
    const moved = await runAs(database.requestPool, tomas, (tx) =>
      idsOf(tx, 'holdfast.comments', `t.record_id in (select id from public.actions where site_id = '${site}')`),
    )
    await move('N')

    expect(moved).toEqual(before)
  })
})
