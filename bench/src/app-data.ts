import type { Holdfast } from '@holdfast/test-support'
import { sql } from '@holdfast/postgres'

/** The user who signs in on the measured device. */
export const PERSON = { email: 'bench@example.org', password: 'correct horse battery staple' } as const

/** The measured table: its name in the device's database and its label in the app. */
export const TABLE = 'jobs'
export const LABEL = 'Jobs'

/** Saved views of the table, by key. */
export const VIEWS = { overdue: 'Overdue', hours: 'Hours' } as const

/** A word that occurs in one row of eleven. */
export const WORD = 'valve'

/** The label of a row, from its number. */
export const numberOf = (row: number): string => `J-${String(row).padStart(6, '0')}`

/** States in the order in which the database declares them; the first row has the first one. */
export const STATES = { first: 'Open', other: 'Verified' } as const

const SCHEMA = `
  create type public.job_state as enum ('open', 'doing', 'blocked', 'verified', 'dropped');
  create table public.sites (
    id uuid primary key default gen_random_uuid(), name text not null, code text not null, address text
  );
  create table public.people (
    id uuid primary key default gen_random_uuid(), name text not null, email text, phone text
  );
  create table public.jobs (
    id uuid primary key default gen_random_uuid(),
    title text not null,
    number text not null,
    state public.job_state not null default 'open',
    due_on date,
    est_hours numeric(6, 2),
    priority smallint not null default 3,
    site_id uuid not null references public.sites (id),
    owner_id uuid references public.people (id),
    cost numeric(10, 2),
    detail text,
    created_at timestamptz not null default now()
  );`

const POLICIES = ['sites', 'people', 'jobs'].map(
  (table) => `
  alter table public.${table} enable row level security;
  create policy readable on public.${table} for select to authenticated using (true);
  create policy writable on public.${table} for all to authenticated using (true) with check (true);`,
)

/**
 * Creates a table with the given number of rows, two tables that it links to, saved views, and a user who may read and write all of them. Rows have about 400
 * bytes; ids are sequential, so that the order is the same in each run.
 */
export async function prepareAppData(holdfast: Holdfast, rows: number): Promise<void> {
  const { admin } = holdfast
  await admin.withClient((client) => client.query(SCHEMA + POLICIES.join('')))
  const linked = Math.max(1, Math.round(rows / 50))
  await admin.execute(sql`
    insert into public.sites (name, code, address)
    select 'Station ' || g, 'S-' || g, g || ' Harbour Road' from generate_series(1, ${linked}::int) g`)
  await admin.execute(sql`
    insert into public.people (name, email) select 'Person ' || g, 'p' || g || '@example.org'
      from generate_series(1, ${Math.max(1, Math.round(linked / 10))}::int) g`)
  await admin.execute(sql`
    with s as (select array_agg(id order by code) as ids from public.sites),
         p as (select array_agg(id order by email) as ids from public.people)
    insert into public.jobs (id, number, title, state, due_on, est_hours, priority, site_id, owner_id, cost, detail)
    select lpad(to_hex(g), 32, '0')::uuid, 'J-' || lpad(g::text, 6, '0'),
           (array['Replace', 'Check', 'Clean', 'Paint', 'Measure'])[1 + g % 5] || ' the ' ||
           (array['pump', 'cabinet', 'fence', 'meter', 'roof', 'valve', 'ladder', 'door', 'drain', 'lamp', 'cable'])[1 + g * 7 % 11] || ' ' || g,
           (array['open', 'doing', 'blocked', 'verified', 'dropped'])[1 + (g - 1) % 5]::public.job_state,
           current_date - 200 + (g * 37 % 400), (g % 160) / 4.0, 1 + g % 4,
           s.ids[1 + g % array_length(s.ids, 1)], p.ids[1 + g % array_length(p.ids, 1)], (g % 9000) / 10.0,
           'Found during the round. ' || left(repeat(md5(g::text), 4), 110)
      from generate_series(1, ${rows}::int) g, s, p`)
  await admin.execute(sql`
    insert into holdfast.views (table_name, name, scope, config) values
      (${TABLE}, ${VIEWS.overdue}, 'shared',
       '{"filter": "all(due_on.before.today,state.notin.verified.dropped)", "sort": "due_on"}'),
      (${TABLE}, ${VIEWS.hours}, 'shared', '{"sort": "-due_on", "aggregate": "est_hours.sum,cost.average"}')`)
  await createPerson(holdfast)
}

async function createPerson(holdfast: Holdfast): Promise<void> {
  const answer = await fetch(`${holdfast.url}/auth/v1/admin/users`, {
    method: 'POST',
    headers: {
      apikey: holdfast.serviceRoleKey,
      authorization: `Bearer ${holdfast.serviceRoleKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ ...PERSON, email_confirm: true }),
  })
  if (!answer.ok) throw new Error(`the person of the benchmark: ${answer.status} ${await answer.text()}`)
}
