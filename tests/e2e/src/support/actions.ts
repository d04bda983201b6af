import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'

/** Fields of an action that the journeys do not look at. */
export const ROOMY_FIELDS = ['finding_id', 'site_id', 'team_id', 'owner_id', 'contractor_id', 'verified_by', 'detail']

export interface NewAction {
  readonly id: string
  readonly number: string
  readonly title: string
}

export type ActionState = 'open' | 'doing' | 'to_verify'

/** The states on the way to one; a new action is open. */
const WAYS: Readonly<Record<ActionState, readonly string[]>> = {
  open: [],
  doing: ['doing'],
  to_verify: ['doing', 'to_verify'],
}

/**
 * Makes actions of a test's own, as the superuser: at a site of the North, for team North, carried out by the contractor that Sam Reyes works for.
 *
 * @param titles - of one action each
 */
export async function makeActions(
  { admin }: Holdfast,
  titles: readonly string[],
  state: ActionState = 'open',
): Promise<readonly NewAction[]> {
  const actions: NewAction[] = []
  for (const title of titles) {
    const [action] = await admin.query<NewAction>(sql`
      insert into public.actions (title, site_id, team_id, contractor_id, est_hours)
      select ${title}, s.id, t.id, p.contractor_id, 2
        from public.people p, holdfast.teams t
        join holdfast.team_members m on m.team_id = t.id
        join auth.users u on u.id = m.user_id and u.email = 'mina.kaya@northline.example'
        join public.regions r on r.code = t.area
        join lateral (select s.id from public.sites s where s.region_id = r.id and s.status <> 'decommissioned' order by s.id limit 1) s on true
       where p.name = 'Sam Reyes'
      returning id, number, title`)
    if (!action) throw new Error('the sample has no site for an action')
    for (const next of WAYS[state]) {
      await admin.execute(sql`update public.actions set state = ${next}::public.action_state where id = ${action.id}`)
    }
    actions.push(action)
  }
  return actions
}

export interface StoredAction {
  readonly title: string
  readonly state: string
  readonly priority: number
  readonly est_hours: string | number | null
}

/** What Postgres holds. */
export async function storedAction({ admin }: Holdfast, id: string): Promise<StoredAction> {
  const [row] = await admin.query<StoredAction>(
    sql`select title, state::text as state, priority, est_hours::float8 as est_hours from public.actions where id = ${id}`,
  )
  if (!row) throw new Error(`no action ${id}`)
  return row
}

/** A change of an action that Postgres has made. */
export interface AuditedChange {
  readonly title: string
  /** Fields that were given another value, without what triggers keep. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** Creates a trigger that records every update of an action, so that a repeated one is noticed even if it changes nothing. */
export async function auditActions({ admin }: Holdfast): Promise<void> {
  await admin.execute(sql`create schema if not exists audit`)
  await admin.execute(sql`
    create table if not exists audit.actions (
      place bigint generated always as identity primary key, action_id uuid, title text, fields jsonb)`)
  await admin.execute(sql`
    create or replace function audit.note() returns trigger language plpgsql security definer set search_path = '' as $$
    begin
      insert into audit.actions (action_id, title, fields)
      select old.id, old.title, coalesce(jsonb_object_agg(n.key, n.value) filter (where n.value is distinct from o.value and n.key <> 'updated_at'), '{}')
        from jsonb_each(to_jsonb(new)) n join jsonb_each(to_jsonb(old)) o on o.key = n.key;
      return null;
    end $$`)
  await admin.execute(
    sql`create or replace trigger audit after update on public.actions for each row execute function audit.note()`,
  )
}

/** Every update of these actions since {@link auditActions}, in the order in which they were made. */
export async function auditedChanges({ admin }: Holdfast, ids: readonly string[]): Promise<readonly AuditedChange[]> {
  return admin.query<AuditedChange>(
    sql`select title, fields from audit.actions where action_id = any(${ids}::uuid[]) order by place`,
  )
}
