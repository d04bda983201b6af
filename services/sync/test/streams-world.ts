import { runAs, sql } from '@holdfast/postgres'
import type { DeviceState } from './stream-client.ts'
import type { World } from './sync-world.ts'

export const [ORG, OTHER_ORG] = [
  '00000000-0000-4000-8000-00000000000a',
  '00000000-0000-4000-8000-00000000000b',
] as const
export const PROJECTS = ['1', '2', '3'].map((digit) => `00000000-0000-4000-8000-00000000010${digit}`)
export const [ONE = '', TWO = ''] = PROJECTS

export const SCHEMA = `
  create table public.members (id uuid primary key default gen_random_uuid(), org_id uuid not null, user_id uuid not null);
  create table public.issues (
    id uuid primary key default gen_random_uuid(), org_id uuid not null, project_id uuid, parent_id uuid, state text not null default 'open', n int not null default 0);
  create table public.comments (id uuid primary key default gen_random_uuid(), org_id uuid not null, issue_id uuid not null, body text);
  create table public.notes (id uuid primary key default gen_random_uuid(), org_id uuid not null, body text);
  alter table public.members enable row level security;
  alter table public.issues enable row level security;
  alter table public.comments enable row level security;
  alter table public.notes enable row level security;
  create policy own on public.members for select using (user_id = (select auth.uid()));
  create policy org on public.issues for select using (org_id in (select m.org_id from public.members m where m.user_id = (select auth.uid())));
  create policy org on public.comments for select using (org_id in (select m.org_id from public.members m where m.user_id = (select auth.uid())));
  create policy org on public.notes for select using (org_id in (select m.org_id from public.members m where m.user_id = (select auth.uid())));
  select sync.create_stream('by_project', array[
    $$ select * from issues where project_id = subscription.parameter('project') $$,
    $$ select comments.* from comments join issues i on i.id = comments.issue_id where i.project_id = subscription.parameter('project') $$
  ], priority => 1);
  select sync.create_stream('by_state', $$ select * from issues where state = any (subscription.parameter('states')) $$);
  select sync.create_stream('small', $$ select * from issues i where i.n <= subscription.parameter('max') $$, priority => 2);
  select sync.create_stream('children', $$
    select * from issues i where i.parent_id in (select p.id from issues p where p.n >= subscription.parameter('from')) $$);
  select sync.create_stream('urgent', $$ select * from issues where state = 'urgent' $$, priority => 0, auto_subscribe => true);
`

/** The streams in the words of Postgres alone. */
export const MEANING: Readonly<Record<string, readonly [table: string, condition: string][]>> = {
  by_project: [
    ['issues', `t.project_id = (p.v ->> 'project')::uuid`],
    [
      'comments',
      `exists (select from public.issues i where i.id = t.issue_id and i.project_id = (p.v ->> 'project')::uuid)`,
    ],
  ],
  by_state: [['issues', `t.state in (select jsonb_array_elements_text(p.v -> 'states'))`]],
  small: [['issues', `t.n <= (p.v ->> 'max')::int`]],
  children: [['issues', `t.parent_id in (select i.id from public.issues i where i.n >= (p.v ->> 'from')::int)`]],
  urgent: [['issues', `t.state = 'urgent'`]],
  everything: [
    ['members', 'true'],
    ['notes', 'true'],
  ],
}

export interface Subscription {
  readonly stream: string
  readonly parameters: object | null
  readonly override_priority: number | null
}

export function subscription(
  stream: string,
  parameters: object | null = null,
  priority: number | null = null,
): Subscription {
  return { stream, parameters, override_priority: priority }
}

/** What a device with these subscriptions has to have, now. */
export async function wanted(
  world: World,
  userId: string,
  subscriptions: readonly Subscription[],
  includeDefaults: boolean,
): Promise<DeviceState> {
  const defaults = includeDefaults ? [subscription('everything'), subscription('urgent')] : []
  return runAs(world.db.requestPool, { role: 'authenticated', claims: { sub: userId } }, async (tx) => {
    const state = new Map<string, string>()
    for (const { stream, parameters } of [...defaults, ...subscriptions]) {
      for (const [table, condition] of MEANING[stream] ?? []) {
        const rows = await tx.query<{ key: string; json: string }>(sql`
          select ${table} || '/' || t.id as key, row_to_json(t)::text as json
            from ${sql.identifier('public', table)} t, (select ${JSON.stringify(parameters ?? {})}::jsonb as v) p where ${sql.trusted(condition)}`)
        for (const { key, json } of rows) state.set(key, json)
      }
    }
    return state
  })
}

export function print(state: DeviceState): string {
  return JSON.stringify([...state].toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
