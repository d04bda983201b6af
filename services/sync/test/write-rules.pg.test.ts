import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  judgeWrite,
  WRITE_RULES_PATH,
  type Judgement,
  type PlannedWrite,
  type RuleRow,
  type WriteRules,
} from '@holdfast/protocol'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

const SCHEMA = `
  create table public.sites (id uuid primary key, name text, is_closed boolean not null default false);
  create table public.jobs (
    id uuid primary key, owner_id uuid, site_id uuid not null, state text not null default 'open', hours int, double_hours int generated always as (hours * 2) stored
  );
  create table public.leads (user_id uuid primary key);
  alter table public.sites enable row level security;
  alter table public.jobs enable row level security;
  alter table public.leads enable row level security;
  grant select, insert, update, delete on public.sites, public.jobs, public.leads to authenticated;
  create function public.is_lead() returns boolean language sql stable security definer set search_path = '' as
    $$ select exists (select 1 from public.leads l where l.user_id = auth.uid()) $$;
  create policy seen on public.sites for select to authenticated using (true);
  create policy seen on public.jobs for select to authenticated using (true);
  create policy mine on public.leads for select to authenticated using (user_id = (select auth.uid()));
  create policy own on public.jobs for update to authenticated using (owner_id = (select auth.uid()) or (select public.is_lead()));
  create policy verified_by_lead on public.jobs as restrictive for update to authenticated
    using (true) with check (state <> 'verified' or (select public.is_lead()));
  create policy open_site on public.jobs as restrictive for update to authenticated
    using (true) with check (not exists (select 1 from public.sites s where s.id = site_id and s.is_closed));
  comment on policy verified_by_lead on public.jobs is 'Only a lead verifies a job.';
  revoke update on public.jobs from authenticated;
  grant update (owner_id, site_id, state) on public.jobs to authenticated;
  insert into public.leads values ('${BOB}');
`

let world: World

beforeAll(async () => {
  world = await openWorld({ schema: SCHEMA })
})

afterAll(() => world?.[Symbol.asyncDispose]())

async function ask(userId: string, etag?: string): Promise<{ status: number; etag: string | null; rules: WriteRules }> {
  const response = await fetch(`${world.url}${WRITE_RULES_PATH}`, {
    headers: { authorization: `Bearer ${world.token(userId)}`, ...(etag ? { 'if-none-match': etag } : {}) },
  })
  const text = await response.text()
  return {
    status: response.status,
    etag: response.headers.get('etag'),
    rules: text === '' ? { version: '', tables: {}, facts: {} } : (JSON.parse(text) as WriteRules),
  }
}

const SITE = '10000000-0000-4000-8000-000000000001'

function judge(
  rules: WriteRules,
  write: Partial<PlannedWrite>,
  site: RuleRow | null = { id: SITE, is_closed: 0 },
): Judgement {
  const before = { id: '20000000-0000-4000-8000-000000000001', owner_id: ALICE, site_id: SITE, state: 'open', hours: 1 }
  const whole = { table: 'jobs', command: 'update', before, after: before, changed: ['state'], ...write } as const
  return judgeWrite(whole, { rules, rowOf: () => site, isCurrent: () => true })
}

test('tell each person what the policies make of their writes, with the words of the policy', async () => {
  const { rules: alice } = await ask(ALICE)
  const { rules: bob } = await ask(BOB)
  expect(judge(alice, {})).toEqual({ kind: 'allowed' })
  const verified = { after: { ...judgedRow(), state: 'verified' } }
  expect(judge(alice, verified)).toEqual({
    kind: 'refused',
    refusal: { reason: 'restriction', policies: [{ name: 'verified_by_lead', words: 'Only a lead verifies a job.' }] },
  })
  expect(judge(bob, verified)).toEqual({ kind: 'allowed' })
  const others = { before: { ...judgedRow(), owner_id: BOB } }
  expect(judge(alice, others)).toMatchObject({ refusal: { reason: 'permission', policies: [{ name: 'own' }] } })
  expect(judge(bob, others)).toEqual({ kind: 'allowed' })
})

function judgedRow(): Record<string, unknown> {
  return { id: '20000000-0000-4000-8000-000000000001', owner_id: ALICE, site_id: SITE, state: 'open', hours: 1 }
}

test('look rows up that are on the device, and leave what is not there to the server', async () => {
  const { rules } = await ask(ALICE)
  expect(judge(rules, {}, { id: SITE, is_closed: 1 })).toMatchObject({
    refusal: { reason: 'restriction', policies: [{ name: 'open_site' }] },
  })
  expect(judge(rules, {}, null)).toEqual({ kind: 'unknown' })
  expect(judge(rules, { after: { ...judgedRow(), site_id: undefined } })).toEqual({ kind: 'unknown' })
})

test('know grants of columns, commands without a policy, and commands without a grant', async () => {
  const { rules } = await ask(ALICE)
  expect(judge(rules, { changed: ['hours'] })).toMatchObject({ refusal: { reason: 'grant', columns: ['hours'] } })
  expect(judge(rules, { command: 'insert', changed: [] })).toMatchObject({
    refusal: { reason: 'permission', policies: [] },
  })
  expect(rules.tables['jobs']?.update?.set).toEqual(['double_hours'])
})

test('say what a fact was read from, so that a device sees when it is old', async () => {
  const { rules } = await ask(ALICE)
  const facts = Object.values(rules.facts)
  expect(facts).toContainEqual({ value: 'false', reads: ['leads'] })
  expect(facts).toContainEqual({ value: ALICE, reads: [] })
  const write = { after: { ...judgedRow(), state: 'verified' } }
  const before = judgedRow()
  const judgement = judgeWrite(
    { table: 'jobs', command: 'update', before, ...write, changed: ['state'] },
    { rules, rowOf: () => ({ id: SITE, is_closed: 0 }), isCurrent: (reads) => !reads.includes('leads') },
  )
  expect(judgement).toEqual({ kind: 'unknown' })
})

test('follow the policies, and are sent only when they changed', async () => {
  const first = await ask(ALICE)
  expect((await ask(ALICE, first.etag ?? '')).status).toBe(304)
  await world.run(`drop policy verified_by_lead on public.jobs`)
  await vi.waitFor(
    async () => {
      const { status, rules } = await ask(ALICE, first.etag ?? '')
      expect(status).toBe(200)
      expect(judge(rules, { after: { ...judgedRow(), state: 'verified' } })).toEqual({ kind: 'allowed' })
    },
    { timeout: 60_000, interval: 100 },
  )
})

test('leave out a fact whose query fails, and keep the others', async () => {
  await world.run(`
    create function public.fails() returns boolean language plpgsql stable as $$ begin return 1 / 0 = 1; end $$;
    create policy failing on public.sites for update to authenticated using (public.fails());
    create policy led on public.sites for delete to authenticated using ((select public.is_lead()));`)
  await vi.waitFor(
    async () => {
      const { rules } = await ask(ALICE)
      const site = { id: SITE, is_closed: 0 }
      expect(judge(rules, { table: 'sites', before: site, after: site, changed: ['name'] })).toEqual({
        kind: 'unknown',
      })
      expect(judge(rules, { table: 'sites', command: 'delete', before: site, changed: [] })).toMatchObject({
        kind: 'refused',
      })
    },
    { timeout: 60_000, interval: 100 },
  )
})

test('leave columns open that a trigger may set before the check', async () => {
  await world.run(`
    create function public.keep_site() returns trigger language plpgsql as $$
      begin
        new.site_id := coalesce(new.site_id, old.site_id);
        select 'open' into new.state;
        return new;
      end $$;
    create policy no_closing on public.jobs as restrictive for update to authenticated using (true) with check (state <> 'closed');
    create trigger keep_site before update on public.jobs for each row execute function public.keep_site();`)
  await vi.waitFor(
    async () => {
      const { rules } = await ask(ALICE)
      expect(rules.tables['jobs']?.update).toMatchObject({ set: ['double_hours', 'state'], filled: ['site_id'] })
      expect(judge(rules, { after: { ...judgedRow(), state: 'closed' } })).toEqual({ kind: 'unknown' })
      expect(judge(rules, {}, { id: SITE, is_closed: 1 })).toMatchObject({ kind: 'refused' })
    },
    { timeout: 60_000, interval: 100 },
  )
})
