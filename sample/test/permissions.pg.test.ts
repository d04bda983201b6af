/** What people may do, and what the database fills in when they do. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { silentLogger } from '@holdfast/foundation'
import { runAs, sql, type SqlFragment } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { seedSample } from '../src/seed.ts'

const serverMigrations = { name: 'server', directory: new URL('../../server/migrations/', import.meta.url) }

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  const { pool } = database
  const clock = { now: () => Date.UTC(2031, 4, 17, 12) }
  await seedSample({ pool, logger: silentLogger, clock, hashPassword: async () => 'no hash' })
})

afterAll(() => database[Symbol.asyncDispose]())

/** Runs statements as a person in one transaction, takes them back, and says how many rows the last one touched. */
async function rowsTouched(name: string, ...statements: readonly SqlFragment[]): Promise<number> {
  const [person] = await database.pool.query<{ user_id: string }>(
    sql`select user_id from public.people where name = ${name}`,
  )
  const session = { role: 'authenticated', claims: { role: 'authenticated', sub: person?.user_id } }
  let rows = 0
  const undo = new Error('undo')
  const outcome = runAs(database.requestPool, session, async (tx) => {
    for (const statement of statements) rows = await tx.execute(statement)
    throw undo
  })
  await expect(outcome).rejects.toBe(undo)
  return rows
}

function setFirst(table: string, where: string, change: string): SqlFragment {
  return sql.trusted(
    `update ${table} set ${change} where id = (select id from ${table} where ${where} order by number limit 1)`,
  )
}

const setAction = (where: string, change: string): SqlFragment => setFirst('public.actions', where, change)
const setInspection = (where: string, change: string): SqlFragment => setFirst('public.inspections', where, change)
const setFinding = (where: string, change: string): SqlFragment => setFirst('public.findings', where, change)

describe('is allowed', () => {
  const cases: readonly (readonly [title: string, name: string, ...statements: readonly SqlFragment[]])[] = [
    [
      'a contractor who takes an action to To verify',
      'Sam Reyes',
      setAction(`state = 'open'`, `state = 'doing'`),
      setAction(`state = 'doing'`, `state = 'to_verify', cost = 120`),
    ],
    [
      'a contractor who is blocked',
      'Sam Reyes',
      setAction(`state = 'open'`, `state = 'blocked', blocked_reason = 'Waiting for parts'`),
    ],
    ['a lead who verifies', 'Dana Okafor', setAction(`state = 'to_verify'`, `state = 'verified'`)],
    ['a member who sends an action back', 'Mina Kaya', setAction(`state = 'to_verify'`, `state = 'doing'`)],
    ['a lead who drops', 'Dana Okafor', setAction(`state = 'open'`, `state = 'dropped'`)],
    ['a lead who approves', 'Dana Okafor', setInspection(`state = 'submitted'`, `state = 'approved'`)],
    [
      'a lead who returns an inspection that is then worked on',
      'Dana Okafor',
      setInspection(`state = 'submitted'`, `state = 'returned'`),
      setInspection(`state = 'returned'`, `state = 'in_progress'`),
    ],
    [
      'a member who deletes a scheduled inspection',
      'Mina Kaya',
      sql`delete from public.inspections where id = (select id from public.inspections where state = 'scheduled' limit 1)`,
    ],
    [
      'a contractor who comments on an own action',
      'Sam Reyes',
      sql`insert into holdfast.comments (table_name, record_id, body, author_id)
          select 'actions', id, 'On my way', auth.uid() from public.actions limit 1 returning id`,
    ],
    [
      'an auditor who comments on an inspection',
      'Ruth Adler',
      sql`insert into holdfast.comments (table_name, record_id, body, author_id)
          select 'inspections', id, 'Please add the gauge number', auth.uid() from public.inspections limit 1 returning id`,
    ],
    [
      'a lead who decommissions a site',
      'Dana Okafor',
      sql`update public.sites set status = 'decommissioned' where id = (select id from public.sites where status = 'active' limit 1)`,
    ],
    [
      'a member who closes a mitigated finding',
      'Mina Kaya',
      setFinding(
        `state = 'mitigated' and not exists (select 1 from public.actions a where a.finding_id = findings.id and a.state = 'to_verify')`,
        `state = 'closed'`,
      ),
    ],
  ]
  const attempts = cases.map(([title, name, ...statements]) => ({ title, name, statements }))
  test.each(attempts)('$title', async ({ name, statements }) => {
    expect(await rowsTouched(name, ...statements)).toBe(1)
  })

  test('an inspection from start to submission, each bad answer with its finding', async () => {
    const NEXT = sql.trusted(`(select id from public.inspections where number = 'INS-09999')`)
    const rows = await rowsTouched(
      'Mina Kaya',
      sql`insert into public.inspections (number, site_id, template_id, team_id, scheduled_on)
          select 'INS-09999', (select s.id from public.sites s where s.status = 'active' limit 1), t.id, (select id from holdfast.teams where name = 'North'), current_date
            from public.templates t limit 1`,
      sql`update public.inspections set state = 'in_progress' where id = ${NEXT}`,
      sql`insert into public.answers (inspection_id, template_item_id, value_bool, value_num, value_choice)
          select i.id, t.id, t.finding_when = 'yes', t.max + 1, t.choices[1]
            from public.inspections i join public.template_items t on t.template_id = i.template_id where i.id = ${NEXT}`,
      sql`insert into public.findings (inspection_id, answer_id, title)
          select a.inspection_id, a.id, 'As answered' from public.answers a join public.template_items t on t.id = a.template_item_id
           where a.inspection_id = ${NEXT} and (t.kind = 'reading' or t.kind = 'yes_no')`,
      sql`update public.inspections set state = 'submitted' where id = ${NEXT} and started_at is not null`,
      sql`update public.inspections set weather = 'Dry' where id = ${NEXT} and submitted_at is not null`,
    )
    expect(rows).toBe(1)
  })
})

describe('the database fills in', () => {
  test('who wrote it, the number, the site and the verifier', async () => {
    const [dana] = await database.pool.query<{ user_id: string; id: string }>(
      sql`select id, user_id from public.people where name = 'Dana Okafor'`,
    )
    const session = { role: 'authenticated', claims: { role: 'authenticated', sub: dana?.user_id } }
    const [finding] = await database.pool.query<{ id: string; site_id: string }>(sql`
      select f.id, f.site_id from public.findings f join public.sites s on s.id = f.site_id where s.code like 'N-%' and s.status = 'active' limit 1
    `)
    const action = await runAs(database.requestPool, session, async (tx) => {
      const [row] = await tx.query<{ id: string }>(sql`
        insert into public.actions (finding_id, team_id, title, created_by)
        select ${finding?.id}, id, 'Fit a new lock', gen_random_uuid() from holdfast.teams where name = 'North' returning id
      `)
      for (const state of ['doing', 'to_verify', 'verified']) {
        await tx.execute(
          sql`update public.actions set state = ${state}::public.action_state, created_by = null where id = ${row?.id}`,
        )
      }
      const [written] = await tx.query<object>(sql`
        select number, site_id, created_by, verified_by, updated_at = now() as touched from public.actions where id = ${row?.id}
      `)
      return written
    })
    expect(action).toEqual({
      number: expect.stringMatching(/^ACT-026\d\d$/),
      site_id: finding?.site_id,
      created_by: dana?.user_id,
      verified_by: dana?.id,
      touched: true,
    })
  })

  test('the author, the area and the time of an edit, and refuses a change of the area', async () => {
    const [mina] = await database.pool.query<{ user_id: string }>(
      sql`select user_id from public.people where name = 'Mina Kaya'`,
    )
    const session = { role: 'authenticated', claims: { role: 'authenticated', sub: mina?.user_id } }
    const comment = await runAs(database.requestPool, session, async (tx) => {
      const [row] = await tx.query<{ id: string }>(sql`
        insert into holdfast.comments (table_name, record_id, body, author_id, area)
        select 'findings', id, 'First', gen_random_uuid(), 'E' from public.findings limit 1 returning id
      `)
      await tx.execute(sql`update holdfast.comments set body = 'Second', area = 'E' where id = ${row?.id}`)
      const [written] = await tx.query<object>(sql`
        select author_id, area, body, edited_at is not null as edited from holdfast.comments where id = ${row?.id}
      `)
      return written
    })
    expect(comment).toEqual({ author_id: mina?.user_id, area: 'N', body: 'Second', edited: true })
  })
})
