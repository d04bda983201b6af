import fc from 'fast-check'
import type { Holdfast } from '@holdfast/test-support'

/** One random change: what, and three numbers that choose the rows. */
export interface Step {
  readonly kind: string
  readonly a: number
  readonly b: number
  readonly c: number
}

interface Statement {
  readonly weight: number
  /** `$1`…`$3`: the numbers of the step as texts. `$4`: accounts whose devices are watched. */
  readonly text: string
}

/** A row chosen by a number of the step; the same on every run of a seed. */
function pick(table: string, by: 1 | 2 | 3, where = 'true'): string {
  return `(select x.id from ${table} x where ${where} order by md5(x.id::text || $${by}::text) limit 1)`
}

const watched = (by: 1 | 2 | 3): string => `(($4::uuid[])[1 + $${by}::int % array_length($4::uuid[], 1)])`
const person = (by: 1 | 2 | 3): string => `(select p.id from public.people p where p.user_id = ${watched(by)})`
const contractor = (by: 1 | 2 | 3): string => pick('public.contractors', by)
const site = (by: 1 | 2 | 3): string => pick('public.sites', by)
const action = (by: 1 | 2 | 3): string => pick('public.actions', by)

/** Changes of rows, of memberships and of what policies read. Some are refused by constraints and triggers: that is part of it. */
const STATEMENTS: Readonly<Record<string, Statement>> = {
  joinTeam: {
    weight: 6,
    text: `insert into holdfast.team_members (id, team_id, user_id, function)
      values (md5($1 || $2 || $3)::uuid, ${pick('holdfast.teams', 1)}, ${watched(2)}, (array['lead','member'])[1 + $3::int % 2]::holdfast.team_function)
      on conflict do nothing`,
  },
  leaveTeam: {
    weight: 5,
    text: `delete from holdfast.team_members where id = ${pick('holdfast.team_members', 1, `x.user_id = ${watched(2)}`)}`,
  },
  changeFunction: {
    weight: 3,
    text: `update holdfast.team_members set function = case function when 'lead' then 'member' else 'lead' end::holdfast.team_function
      where user_id = ${watched(1)}`,
  },
  changeTeam: {
    weight: 3,
    text: `update holdfast.team_members set team_id = ${pick('holdfast.teams', 1)}
      where id = ${pick('holdfast.team_members', 2, `x.user_id = ${watched(3)}`)}`,
  },
  changeMember: {
    weight: 2,
    text: `update holdfast.team_members set user_id = ${watched(1)} where id = ${pick('holdfast.team_members', 2)}`,
  },
  changeCompany: {
    weight: 4,
    text: `update public.people set contractor_id = ${contractor(1)} where kind = 'contractor' and (id = ${person(2)} or id = ${pick('public.people', 3)})`,
  },
  becomeContractor: {
    weight: 3,
    text: `update public.people set kind = 'contractor', contractor_id = ${contractor(1)}, team_id = null where id = ${person(2)}`,
  },
  becomeEmployee: {
    weight: 3,
    text: `update public.people set kind = 'employee', contractor_id = null, team_id = ${pick('holdfast.teams', 1)} where id = ${person(2)}`,
  },
  becomeAuditor: {
    weight: 1,
    text: `update public.people set kind = 'auditor', contractor_id = null where id = ${person(1)}`,
  },
  changePersonTeam: {
    weight: 2,
    text: `update public.people set team_id = ${pick('holdfast.teams', 1)} where id in (${pick('public.people', 2)}, ${pick('public.people', 3)})`,
  },
  loseAccount: { weight: 1, text: `update public.people set user_id = null where user_id = ${watched(1)}` },
  gainAccount: {
    weight: 2,
    text: `update public.people set user_id = ${watched(1)} where id = ${pick('public.people', 2, 'x.user_id is null')}
      and not exists (select 1 from public.people p where p.user_id = ${watched(1)})`,
  },
  renamePerson: {
    weight: 1,
    text: `update public.people set name = 'Person ' || $1, phone = $2 where id = ${pick('public.people', 3)}`,
  },
  changeArea: {
    weight: 2,
    text: `update holdfast.teams set area = (array['N','E','S','W','C',null])[1 + $1::int % 6] where id = ${pick('holdfast.teams', 2)}`,
  },
  recolorTeam: {
    weight: 1,
    text: `update holdfast.teams set color = 'red', name = 'Team ' || $1 where id = ${pick('holdfast.teams', 2)}`,
  },
  moveSite: {
    weight: 3,
    text: `update public.sites set region_id = ${pick('public.regions', 1)} where id = ${site(2)}`,
  },
  changeSite: {
    weight: 3,
    text: `update public.sites set name = 'Site ' || $1, hazard_level = $2::int % 4, status = (array['active','standby','decommissioned'])[1 + $3::int % 3]::public.site_status
      where id = ${site(2)}`,
  },
  giveActions: {
    weight: 6,
    text: `update public.actions set contractor_id = ${contractor(1)} where id in (${action(2)}, ${action(3)}, ${action(1)})`,
  },
  takeActions: {
    weight: 4,
    text: `update public.actions set contractor_id = null where id = ${pick('public.actions', 1, `x.contractor_id = (select p.contractor_id from public.people p where p.user_id = ${watched(2)})`)}`,
  },
  giveAllActions: {
    weight: 1,
    text: `update public.actions set contractor_id = ${contractor(1)} where contractor_id = ${contractor(2)}`,
  },
  changeAction: {
    weight: 4,
    text: `update public.actions set title = 'Action ' || $1, cost = ($2::int % 10000) / 100.0, priority = 1 + $3::int % 4 where id = ${action(2)}`,
  },
  startAction: {
    weight: 3,
    text: `update public.actions set state = (array['doing','blocked','to_verify'])[1 + $1::int % 3]::public.action_state, blocked_reason = 'waits'
      where id = ${pick('public.actions', 2, `x.state in ('open', 'doing')`)}`,
  },
  moveActionTeam: {
    weight: 2,
    text: `update public.actions set team_id = ${pick('holdfast.teams', 1)} where id = ${action(2)}`,
  },
  moveActionFinding: {
    weight: 2,
    text: `update public.actions set finding_id = (select f.id from public.findings f where f.site_id = actions.site_id order by md5(f.id::text || $1) limit 1)
      where id in (${action(2)}, ${pick('public.actions', 3, 'x.contractor_id is not null')})`,
  },
  addAction: {
    weight: 2,
    text: `insert into public.actions (id, site_id, team_id, contractor_id, title)
      values (md5($1 || $2 || $3)::uuid, ${site(1)}, ${pick('holdfast.teams', 2)}, ${contractor(3)}, 'New ' || $1) on conflict do nothing`,
  },
  deleteAction: { weight: 2, text: `delete from public.actions where id in (${action(1)}, ${action(2)})` },
  moveAsset: {
    weight: 2,
    text: `update public.assets set site_id = ${site(1)} where id = ${pick('public.assets', 2)}`,
  },
  changeAssets: { weight: 1, text: `update public.assets set model = $1 where site_id = ${site(2)}` },
  addFinding: {
    weight: 2,
    text: `insert into public.findings (id, site_id, title, detail) values (md5($1 || $2 || $3)::uuid, ${site(1)}, 'Finding ' || $2, 'ä€🚰 "quoted" \\ ' || $3)
      on conflict do nothing`,
  },
  changeFinding: {
    weight: 2,
    text: `update public.findings set severity = 'critical', lat = $1::int / 1000.0 % 90 where id = ${pick('public.findings', 2)}`,
  },
  movePhoto: { weight: 2, text: `update public.photos set caption = null where id = ${pick('public.photos', 1)}` },
  addPhoto: {
    weight: 2,
    text: `insert into public.photos (id, finding_id, annotation) values (md5($1 || $2 || $3)::uuid, ${pick('public.findings', 1)}, jsonb_build_object('n', $2::int)) on conflict do nothing`,
  },
  renumberPhoto: {
    weight: 1,
    text: `update public.photos set id = md5($1 || $2)::uuid where id = ${pick('public.photos', 3)}`,
  },
  deletePhotos: {
    weight: 1,
    text: `delete from public.photos where finding_id in (select f.id from public.findings f where f.site_id = ${site(1)})`,
  },
  comment: {
    weight: 2,
    text: `insert into holdfast.comments (id, table_name, record_id, body, author_id)
      values (md5($1 || $2 || $3)::uuid, 'actions', ${action(1)}, 'Comment ' || $2, ${watched(3)}) on conflict do nothing`,
  },
  editComment: {
    weight: 2,
    text: `update holdfast.comments set body = 'Edited ' || $1, resolved_at = now() where id = ${pick('holdfast.comments', 2)}`,
  },
  answer: {
    weight: 2,
    text: `update public.answers set value_text = $1 where inspection_id = ${pick('public.inspections', 2)}`,
  },
  deleteAnswers: {
    weight: 1,
    text: `delete from public.answers where inspection_id = ${pick('public.inspections', 1)}`,
  },
  inspect: {
    weight: 2,
    text: `insert into public.inspections (id, site_id, template_id, team_id, scheduled_on)
      values (md5($1 || $2 || $3)::uuid, ${site(1)}, ${pick('public.templates', 2)}, ${pick('holdfast.teams', 3)}, current_date) on conflict do nothing`,
  },
  startInspection: {
    weight: 1,
    text: `update public.inspections set state = 'in_progress', weather = $1 where id = ${pick('public.inspections', 2, `x.state = 'scheduled'`)}`,
  },
  dropInspection: {
    weight: 1,
    text: `delete from public.inspections where id = ${pick('public.inspections', 1, `x.state = 'scheduled'`)}`,
  },
  changeTemplate: {
    weight: 1,
    text: `update public.template_items set prompt = 'Prompt ' || $1 where template_id = ${pick('public.templates', 2)}`,
  },
  changeContractor: {
    weight: 1,
    text: `update public.contractors set name = 'Company ' || $1, insured_until = current_date + $2::int % 100 where id = ${contractor(3)}`,
  },
  addRegion: {
    weight: 1,
    text: `insert into public.regions (id, name, code) values (md5($1)::uuid, 'Region ' || $1, 'X' || chr(65 + $1::int % 26)) on conflict do nothing`,
  },
  changeRole: {
    weight: 2,
    text: `update holdfast.members set role = (array['guest','viewer','editor','admin'])[1 + $1::int % 4]::holdfast.workspace_role where user_id = ${watched(2)}`,
  },
  changeAccess: {
    weight: 2,
    text: `update holdfast.members set status = (array['active','deactivated'])[1 + $1::int % 2] where user_id = ${watched(2)}`,
  },
  endAccess: {
    weight: 1,
    text: `update holdfast.members set expires_at = case when expires_at is null then timestamptz '2001-01-01' end where user_id = ${watched(1)} and role = 'guest'`,
  },
  share: {
    weight: 3,
    text: `insert into holdfast.shares (id, workspace_id, user_id, table_name, record_id, may_change)
      select md5($1 || $2 || $3)::uuid, m.workspace_id, m.user_id, 'actions', ${action(1)}, $2::int % 2 = 0
        from holdfast.members m where m.user_id = ${watched(3)} on conflict do nothing`,
  },
  unshare: { weight: 1, text: `delete from holdfast.shares where id = ${pick('holdfast.shares', 1)}` },
  moveTeam: {
    weight: 1,
    text: `update holdfast.teams set workspace_id = case when workspace_id is null then (select w.id from holdfast.workspaces w) end where id = ${pick('holdfast.teams', 1)}`,
  },
  dropAccount: {
    weight: 1,
    text: `delete from auth.users where id = ${pick('auth.users', 1, 'x.id <> all ($4::uuid[])')}`,
  },
}

/** Random changes in random transactions. */
export function transactions(count: number): fc.Arbitrary<readonly (readonly Step[])[]> {
  const kind = fc.oneof(
    ...Object.entries(STATEMENTS).map(([name, { weight }]) => ({ weight, arbitrary: fc.constant(name) })),
  )
  const number = fc.nat(99_999)
  const step = fc.record({ kind, a: number, b: number, c: number })
  return fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: count, maxLength: count })
}

/**
 * Commits steps as one transaction, as the superuser. Steps that Postgres refuses are undone on their own.
 *
 * @param accounts - ids of the accounts whose devices are watched
 * @returns how many steps Postgres accepted
 */
export async function commit(holdfast: Holdfast, accounts: readonly string[], steps: readonly Step[]): Promise<number> {
  let accepted = 0
  await holdfast.admin.transaction(async ({ client }) => {
    for (const { kind, a, b, c } of steps) {
      const statement = STATEMENTS[kind]
      if (!statement) throw new Error(`no step ${kind}`)
      await client.query('savepoint step')
      try {
        // Every number is mentioned, so that each has a type in every statement.
        await client.query(`with numbers as (select $1::text, $2::text, $3::text, $4::uuid[]) ${statement.text}`, [
          String(a),
          String(b),
          String(c),
          accounts,
        ])
        accepted++
      } catch (error) {
        const state = (error as { code?: string }).code ?? ''
        if (!/^(23|P0001)/.test(state)) throw error // a constraint or a trigger says no; anything else is a mistake of ours
        await client.query('rollback to savepoint step')
      }
    }
  })
  return accepted
}
