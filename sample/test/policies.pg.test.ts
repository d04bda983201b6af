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
  'holdfast.teams': `t.name = 'North'`,
  'holdfast.team_members': `t.team_id = (select id from holdfast.teams where name = 'North')`,
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

  test('show both teams of a region to each other', async () => {
    const session = await sessionOf('Arjun Mehta')
    const teams = await runAs(database.requestPool, session, (tx) => idsOf(tx, 'holdfast.teams', 'true'))
    const employees = await runAs(database.requestPool, session, (tx) =>
      idsOf(tx, 'public.people', `t.kind = 'employee'`),
    )
    const members = await runAs(database.requestPool, session, (tx) => idsOf(tx, 'holdfast.team_members', 'true'))
    expect(teams).toEqual(await idsOf(database.pool, 'holdfast.teams', `t.id in ${SOUTH_TEAMS}`))
    expect(employees).toEqual(await idsOf(database.pool, 'public.people', `t.team_id in ${SOUTH_TEAMS}`))
    expect(members).toHaveLength(4)
  })

  test.each(TABLES)('show no row of %s without a sign-in', async (table) => {
    const ids = runAs(database.requestPool, { role: 'anon', claims: { role: 'anon' } }, (tx) =>
      idsOf(tx, table, 'true'),
    )
    if (table.startsWith('holdfast.')) await expect(ids).rejects.toMatchObject({ code: '42501' })
    else expect(await ids).toEqual([])
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
