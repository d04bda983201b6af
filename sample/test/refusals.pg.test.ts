/** What people try and may not do, each with the SQLSTATE and the policy, constraint or code that says why. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, type SqlFragment } from '@holdfast/postgres'
import { openSampleWorld, type SampleWorld, type Verdict } from './sample-world.ts'

let sample: SampleWorld
let attempt: SampleWorld['attempt']

beforeAll(async () => {
  sample = await openSampleWorld()
  attempt = sample.attempt
})

afterAll(() => sample[Symbol.asyncDispose]())

const setAction = (where: string, change: string): SqlFragment =>
  sql.trusted(
    `update public.actions set ${change} where id = (select id from public.actions where ${where} order by number limit 1)`,
  )
const setInspection = (where: string, change: string): SqlFragment =>
  sql.trusted(
    `update public.inspections set ${change} where id = (select id from public.inspections where ${where} order by number limit 1)`,
  )
const setFinding = (where: string, change: string): SqlFragment =>
  sql.trusted(
    `update public.findings set ${change} where id = (select id from public.findings where ${where} order by number limit 1)`,
  )

const CLOSED_SITE = `(select id from public.sites where status = 'decommissioned' order by code limit 1)`
const OPEN_SITE = `(select id from public.sites where status = 'active' order by code limit 1)`
const RLS = (policy: string, table: string): string =>
  `new row violates row-level security policy "${policy}" for table "${table}"`
const RLS_ANY = (table: string): string => `new row violates row-level security policy for table "${table}"`

type Case = readonly [title: string, name: string, expected: Partial<Verdict>, ...statements: readonly SqlFragment[]]

describe('is refused', () => {
  const cases: readonly Case[] = [
    [
      'a contractor who verifies an own action',
      'Sam Reyes',
      { code: '42501', message: RLS('verify_by_supervisor', 'actions') },
      setAction(`state = 'doing'`, `state = 'to_verify'`),
      setAction(`state = 'to_verify'`, `state = 'verified'`),
    ],
    [
      'a team member who verifies',
      'Mina Kaya',
      { code: '42501', message: RLS('verify_by_supervisor', 'actions') },
      setAction(`state = 'to_verify'`, `state = 'verified'`),
    ],
    [
      'a team member who drops an action',
      'Mina Kaya',
      { code: '42501', message: RLS('drop_by_supervisor', 'actions') },
      setAction(`state = 'open'`, `state = 'dropped'`),
    ],
    [
      'a contractor who moves the day',
      'Sam Reyes',
      { code: 'P0001', hint: 'action.contractor_fields' },
      setAction(`state = 'open'`, `due_on = due_on + 30`),
    ],
    [
      'a contractor who gives the action away',
      'Sam Reyes',
      { code: 'P0001', hint: 'action.contractor_fields' },
      setAction(`state = 'open'`, `contractor_id = null`),
    ],
    [
      'a team member who approves an inspection',
      'Mina Kaya',
      { code: '42501', message: RLS('approve_by_supervisor', 'inspections') },
      setInspection(`state = 'submitted'`, `state = 'approved'`),
    ],
    [
      'a team member who returns an inspection',
      'Mina Kaya',
      { code: '42501', message: RLS('approve_by_supervisor', 'inspections') },
      setInspection(`state = 'submitted'`, `state = 'returned'`),
    ],
    [
      'an action that skips states',
      'Dana Okafor',
      { code: 'P0001', hint: 'record.transition', message: 'State goes from Open to Doing, Blocked or Dropped.' },
      setAction(`state = 'open'`, `state = 'verified'`),
    ],
    [
      'an action that leaves To verify for Blocked',
      'Dana Okafor',
      {
        code: 'P0001',
        hint: 'record.transition',
        message: 'State goes from To verify to Doing or Verified.',
      },
      setAction(`state = 'to_verify'`, `state = 'blocked', blocked_reason = 'No reason'`),
    ],
    [
      'a verified action that is opened again, by anybody',
      'service',
      { code: 'P0001', hint: 'record.transition', message: 'State stays Verified.' },
      setAction(`state = 'verified'`, `state = 'open'`),
    ],
    [
      'a blocked action without a reason',
      'Mina Kaya',
      {
        code: '23514',
        message: 'new row for relation "actions" violates check constraint "actions_blocked_needs_reason"',
      },
      setAction(`state = 'open'`, `state = 'blocked', blocked_reason = ' '`),
    ],
    [
      'a blocked action whose reason is empty',
      'Mina Kaya',
      { code: '23514' },
      setAction(`state = 'open'`, `state = 'blocked', blocked_reason = null`),
    ],
    [
      'an action that starts as verified',
      'Dana Okafor',
      { code: 'P0001', hint: 'record.transition' },
      sql.trusted(`insert into public.actions (site_id, team_id, title, state)
        select ${OPEN_SITE}, id, 'Grease the hinge', 'verified' from holdfast.teams limit 1`),
    ],
    [
      'an action at another site than its finding',
      'Dana Okafor',
      { code: 'P0001', hint: 'action.finding_site' },
      sql.trusted(`insert into public.actions (site_id, finding_id, team_id, title)
        select s.id, f.id, t.id, 'Grease the hinge' from public.sites s, public.findings f, holdfast.teams t where f.site_id <> s.id limit 1`),
    ],
    [
      'an inspection that is approved before it is submitted',
      'Dana Okafor',
      {
        code: 'P0001',
        hint: 'record.transition',
        message: 'State goes from Scheduled to In progress or Cancelled.',
      },
      setInspection(`state = 'scheduled'`, `state = 'approved'`),
    ],
    [
      'an inspection that is submitted with open questions',
      'Mina Kaya',
      {
        code: 'P0001',
        hint: 'inspection.incomplete',
        message: expect.stringMatching(/^\d+ questions of this inspection have no answer yet\.$/),
      },
      setInspection(`state = 'scheduled'`, `state = 'in_progress'`),
      setInspection(`state = 'in_progress'`, `state = 'submitted'`),
    ],
    [
      'the deletion of a submitted inspection',
      'Dana Okafor',
      { code: 'P0001', hint: 'inspection.delete', message: 'A submitted inspection is kept: nobody deletes it.' },
      sql`delete from public.inspections where state = 'submitted'`,
    ],
    [
      'the deletion of an approved inspection, even by the service role',
      'service',
      { code: 'P0001', hint: 'inspection.delete' },
      sql`delete from public.inspections where state = 'approved'`,
    ],
    [
      'a finding that is closed before it is mitigated',
      'Mina Kaya',
      { code: 'P0001', hint: 'record.transition', message: 'State goes from Open to Mitigated or Duplicate.' },
      setFinding(`state = 'open'`, `state = 'closed'`),
    ],
    [
      'a finding that is closed with unfinished actions',
      'Mina Kaya',
      { code: 'P0001', hint: 'finding.open_actions' },
      setFinding(
        `state = 'mitigated' and exists (select 1 from public.actions a where a.finding_id = findings.id and a.state = 'to_verify')`,
        `state = 'closed'`,
      ),
    ],
    [
      'a duplicate that does not say of what',
      'Mina Kaya',
      { code: '23514', message: expect.stringContaining('findings_duplicate_names_original') },
      setFinding(`state = 'open'`, `state = 'duplicate'`),
    ],
    [
      'a finding that moves to another site',
      'Dana Okafor',
      { code: 'P0001', hint: 'record.moved', message: 'A finding stays with its site and its inspection.' },
      setFinding(`site_id <> ${OPEN_SITE}`, `site_id = ${OPEN_SITE}`),
    ],
    [
      'an answer after submission',
      'Mina Kaya',
      { code: '42501', message: RLS('answer_while_in_progress', 'answers') },
      sql`update public.answers set value_text = 'Late' where inspection_id = (select id from public.inspections where state = 'submitted' limit 1)`,
    ],
    [
      'an answer before the start',
      'Mina Kaya',
      { code: '42501', message: RLS('answer_new_while_in_progress', 'answers') },
      sql`insert into public.answers (inspection_id, template_item_id)
          select i.id, t.id from public.inspections i join public.template_items t on t.template_id = i.template_id where i.state = 'scheduled' limit 1`,
    ],
    [
      'a new finding at a decommissioned site',
      'Dana Okafor',
      { code: '42501', message: RLS('decommissioned_takes_no_rows', 'findings') },
      sql.trusted(`insert into public.findings (site_id, title) values (${CLOSED_SITE}, 'Rust')`),
    ],
    [
      'a change to an action of a decommissioned site',
      'Dana Okafor',
      { code: '42501', message: RLS('decommissioned_is_read_only', 'actions') },
      setAction(`site_id = ${CLOSED_SITE}`, `title = 'Other'`),
    ],
    [
      'a change to an asset of a decommissioned site',
      'Mina Kaya',
      { code: '42501', message: RLS('decommissioned_is_read_only', 'assets') },
      sql.trusted(`update public.assets set name = 'Other' where site_id = ${CLOSED_SITE}`),
    ],
    [
      'an asset that is carried out of a decommissioned site',
      'Dana Okafor',
      { code: 'P0001', hint: 'record.moved' },
      sql.trusted(`update public.assets set site_id = ${OPEN_SITE} where site_id = ${CLOSED_SITE}`),
    ],
    [
      'a photo for an inspection of a decommissioned site',
      'Mina Kaya',
      { code: '42501', message: RLS('decommissioned_takes_no_rows', 'photos') },
      sql.trusted(
        `insert into public.photos (inspection_id) select id from public.inspections where site_id = ${CLOSED_SITE} limit 1`,
      ),
    ],
    [
      'an auditor who reports a finding',
      'Ruth Adler',
      { code: '42501', message: RLS_ANY('findings') },
      sql.trusted(`insert into public.findings (site_id, title) values (${OPEN_SITE}, 'Rust')`),
    ],
    [
      'a contractor who reports a finding',
      'Sam Reyes',
      { code: '42501', message: RLS_ANY('findings') },
      sql.trusted(`insert into public.findings (site_id, title) select id, 'Rust' from public.sites limit 1`),
    ],
    [
      'a comment on a record that is not visible',
      'Sam Reyes',
      { code: '42501', message: RLS_ANY('comments') },
      sql`insert into holdfast.comments (table_name, record_id, body, author_id)
          select 'sites', s.id, 'Hello', gen_random_uuid() from public.sites s limit 1`,
    ],
    [
      'a comment on a record that does not exist',
      'Ruth Adler',
      { code: '42501', hint: 'comment.record' },
      sql`insert into holdfast.comments (table_name, record_id, body, author_id) values ('actions', gen_random_uuid(), 'Hello', gen_random_uuid())`,
    ],
    [
      'a reply to a reply',
      'Dana Okafor',
      { code: 'P0001', hint: 'comment.thread' },
      sql`insert into holdfast.comments (table_name, record_id, parent_id, body, author_id)
          select table_name, record_id, id, 'And again', author_id from holdfast.comments where parent_id is not null limit 1`,
    ],
    [
      'a comment that is deleted for good',
      'Dana Okafor',
      { code: '42501', message: 'permission denied for table comments' },
      sql`delete from holdfast.comments`,
    ],
    [
      'a lead who administers nothing and adds a colleague to a team',
      'Tomas Lindgren',
      { code: '42501', message: RLS_ANY('team_members') },
      sql`insert into holdfast.team_members (team_id, user_id)
          select t.id, m.user_id from holdfast.teams t, holdfast.members m where t.name = 'South' and m.name = 'Mina Kaya'`,
    ],
    [
      'an owner who puts a guest into a team',
      'Dana Okafor',
      { code: 'P0001', hint: 'team.not_a_member' },
      sql`insert into holdfast.team_members (team_id, user_id)
          select t.id, m.user_id from holdfast.teams t, holdfast.members m where t.name = 'North' and m.name = 'Sam Reyes'`,
    ],
  ]
  const attempts = cases.map(([title, name, expected, ...statements]) => ({ title, name, expected, statements }))
  test.each(attempts)('$title', async ({ name, expected, statements }) => {
    expect(await attempt(name, ...statements)).toMatchObject(expected)
  })

  const hidden: readonly (readonly [title: string, name: string, statement: SqlFragment])[] = [
    [
      'a person who makes themself an auditor',
      'Sam Reyes',
      sql`update public.people set kind = 'auditor', contractor_id = null`,
    ],
    ['a member who makes themself a lead', 'Mina Kaya', sql`update holdfast.team_members set function = 'lead'`],
    [
      'a lead who edits the comment of another',
      'Dana Okafor',
      sql`update holdfast.comments set body = 'x' where author_id <> auth.uid()`,
    ],
    ['an auditor who edits actions', 'Ruth Adler', sql`update public.actions set title = 'x'`],
    ['a member who edits a site', 'Mina Kaya', sql`update public.sites set name = 'x'`],
    [
      'a lead who brings a decommissioned site back',
      'Dana Okafor',
      sql`update public.sites set status = 'active' where status = 'decommissioned'`,
    ],
    [
      'a lead who edits a site of another region',
      'Dana Okafor',
      sql`update public.sites set name = 'x' where code like 'E-%'`,
    ],
    ['a lead who deletes a site', 'Dana Okafor', sql`delete from public.sites`],
    [
      'the deletion of photos of a decommissioned site',
      'Dana Okafor',
      sql.trusted(
        `delete from public.photos where inspection_id in (select id from public.inspections where site_id = ${CLOSED_SITE})`,
      ),
    ],
  ]
  test.each(hidden)('%s, without a row to change', async (_title, name, statement) => {
    expect(await attempt(name, statement)).toMatchObject({ code: '00000', rows: 0 })
  })

  test('an inspection that is submitted when a bad answer has no finding', async () => {
    const NEXT = sql.trusted(`(select id from public.inspections where number = 'INS-09999')`)
    const verdict = await attempt(
      'Mina Kaya',
      sql`insert into public.inspections (number, site_id, template_id, team_id, scheduled_on, state)
          select 'INS-09999', (select s.id from public.sites s where s.status = 'active' limit 1), t.id, (select id from holdfast.teams where name = 'North'), current_date, 'in_progress'
            from public.templates t limit 1`,
      sql`insert into public.answers (inspection_id, template_item_id, value_num)
          select i.id, t.id, t.min - 1 from public.inspections i join public.template_items t on t.template_id = i.template_id where i.id = ${NEXT}`,
      sql`update public.inspections set state = 'submitted' where id = ${NEXT}`,
    )
    expect(verdict).toMatchObject({ code: 'P0001', hint: 'inspection.finding_missing' })
  })
})
