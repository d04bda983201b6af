import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom, runsOf, seedOf } from '@holdfast/test-support'
import { openPolicyWorld, type PolicyWorld } from '../policy-world.ts'
import { readPolicyInput } from '../../src/read/read-policy-input.ts'
import { compileSyncPlan } from '../../src/compile/compile-sync-plan.ts'
import { createPlanCompiler } from '../../src/compile/plan-compiler.ts'

/*
 * Incremental compilation must equal compilation from scratch after any changes to policies, functions behind them, columns, types, rights, keys or other
 * tables.
 */

let world: PolicyWorld
const never = new AbortController().signal

beforeAll(async () => {
  world = await openPolicyWorld()
})

afterAll(() => world[Symbol.asyncDispose]())

const CHANGES: readonly string[] = [
  'create policy more on public.notes for select to authenticated using (owner_id = auth.uid() and body is not null)',
  'drop policy if exists more on public.notes',
  'alter policy mine on public.notes using (owner_id = auth.uid() or is_public)',
  'alter policy mine on public.notes using (owner_id = auth.uid())',
  "create or replace function public.may_read(org int) returns boolean language sql stable as $$ select exists (select from public.members m where m.org_id = org and m.user_id = auth.uid() and m.role = 'admin') $$",
  'create or replace function public.may_read(org int) returns boolean language sql stable as $$ select exists (select from public.members m where m.org_id = org and m.user_id = auth.uid()) $$',
  'create or replace function public.may_read(org int) returns boolean language sql volatile as $$ select random() > 0.5 $$',
  'alter table public.notes add column if not exists extra text',
  'alter table public.notes drop column if exists extra',
  'alter table public.papers add column if not exists extra int',
  'alter table public.papers drop column if exists extra',
  'revoke select on public.members from authenticated',
  'grant select on public.members to authenticated',
  'revoke execute on function public.may_read(int) from public, authenticated, anon',
  'grant execute on function public.may_read(int) to public',
  'alter table public.members disable row level security',
  'alter table public.members enable row level security',
  'alter table public.papers drop constraint if exists papers_pkey',
  'alter table public.papers add primary key (id)',
  'create table if not exists public.others (id int primary key, owner_id uuid)',
  'alter table public.others enable row level security',
  'create policy theirs on public.others for select using (owner_id = auth.uid())',
  'drop table if exists public.others',
]

const TABLES: readonly string[] = [
  'create table public.notes (id int primary key, org_id int, owner_id uuid, body text, is_public boolean)',
  'create table public.papers (id int, org_id int, title text, constraint papers_pkey primary key (id))',
  'create table public.plain (id int primary key, owner_id uuid)',
  CHANGES[5] ?? '',
  'alter table public.notes enable row level security',
  'alter table public.papers enable row level security',
  'alter table public.plain enable row level security',
  'create policy mine on public.notes for select to authenticated using (owner_id = auth.uid())',
  'create policy orgs on public.papers for select to authenticated using (public.may_read(org_id))',
  'create policy owned on public.plain for select to authenticated using (owner_id = auth.uid())',
]

describe('compiling again what changed', () => {
  test('makes the plan that compiling everything makes, after each of many changes', async () => {
    const random = createRandom(seedOf('HOLDFAST_POLICY_SEED'))
    const compiler = createPlanCompiler()
    await world.run(...TABLES)
    const steps = runsOf(25, { variable: 'HOLDFAST_PLAN_CHANGES', least: CHANGES.length })
    for (let step = 0; step < steps; step++) {
      const change = CHANGES[step < CHANGES.length ? step : random.below(CHANGES.length)] ?? ''
      await world.run(change).catch(() => undefined) // a change may conflict with previous ones
      const input = await readPolicyInput(world.database.compilerPool)
      expect(await compiler.compile(input, never), change).toEqual(compileSyncPlan(input))
    }
  })

  test('ends with the reason of its signal', async () => {
    const reason = new Error('the server stops')
    const input = await readPolicyInput(world.database.compilerPool)
    await expect(createPlanCompiler().compile(input, AbortSignal.abort(reason))).rejects.toBe(reason)
    await expect(readPolicyInput(world.database.compilerPool, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    )
  })
})
