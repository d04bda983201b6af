import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger, systemClock } from '@holdfast/foundation'
import { compileSyncPlan, readPolicyInput } from '@holdfast/policy'
import { sql, type Pool, type Session } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { activatePlan, DEFAULT_STREAM } from '../../src/buckets/active-plan.ts'
import type { StreamSubscription } from '../../src/buckets/evaluated-keys.ts'
import { createPolicyFailures } from '../../src/buckets/policy-failures.ts'
import { createKeyEvaluator, type KeyEvaluator } from '../../src/buckets/key-evaluator.ts'

const PEOPLE = Array.from({ length: 40 }, (_, number) => `aaaaaaaa-0000-4000-8000-${String(number).padStart(12, '0')}`)
const FAILS = PEOPLE[7] as string

let db: TestDatabase
let subscription: StreamSubscription
let transactions = 0

beforeAll(async () => {
  db = await openTestDatabase()
  for (const text of [
    `create or replace function auth.uid() returns uuid language sql stable as
       $$ select (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid $$`,
    `grant execute on function auth.uid() to public`,
    `create function public.look() returns boolean language plpgsql stable as $$ begin
       if auth.uid() = '${FAILS}' then raise exception 'not you'; end if;
       return true;
     end $$`,
    `create table public.members (id uuid primary key default gen_random_uuid(), list_id uuid not null, user_id uuid not null)`,
    `create table public.items (id uuid primary key default gen_random_uuid(), owner_id uuid, list_id uuid)`,
    `alter table public.members enable row level security`,
    `alter table public.items enable row level security`,
    `create policy mine on public.members for select to authenticated using (user_id = (select auth.uid()))`,
    `create policy own on public.items for select to authenticated using (owner_id = (select auth.uid()))`,
    `create policy shared on public.items for select to authenticated
       using (list_id in (select list_id from public.members where user_id = (select auth.uid()) and public.look()))`,
  ])
    await db.pool.execute(sql.trusted(text))
  await db.pool.execute(
    sql`insert into public.members (list_id, user_id) select p::uuid, p::uuid from unnest(${PEOPLE}::text[]) p`,
  )
  const plan = compileSyncPlan(await readPolicyInput(db.compilerPool))
  const stored = [...new Map(plan.tables.flatMap((t) => t.definitions).map((one) => [one.id, one])).values()].map(
    ({ id }, index) => ({ id, number: index + 1, tag: '00000000' }),
  )
  const stream = activatePlan(plan, stored as never).streams.get(DEFAULT_STREAM)
  if (!stream) throw new Error('no stream')
  subscription = { stream, parameters: '{}' }
})

afterAll(() => db[Symbol.asyncDispose]())

function open(): KeyEvaluator {
  transactions = 0
  const pool: Pool = {
    ...db.requestPool,
    transaction: (body) => {
      transactions++
      return db.requestPool.transaction(body)
    },
  }
  return createKeyEvaluator({
    pool,
    concurrency: 2,
    peopleMax: 8,
    failures: createPolicyFailures(silentLogger, systemClock),
  })
}

const session = (sub: string): Session => ({ role: 'authenticated', claims: { sub } })

test('many people who come at once get each their own keys, in few transactions', async () => {
  const evaluator = open()
  const found = await Promise.all(PEOPLE.map((person) => evaluator.keys([subscription], session(person))))
  for (const [index, person] of PEOPLE.entries()) {
    const names = found[index]?.subscriptions[0]?.bucketNames.join() ?? ''
    for (const other of PEOPLE) expect(names.includes(other)).toBe(other === person)
    // Their own items and their own memberships come by their id; the list they share by a second name.
    expect(names.split(person).length - 1).toBe(person === FAILS ? 2 : 3)
    expect([...(found[index]?.pins.values() ?? [])].flat()).toContain(person)
  }
  expect(found[7]?.subscriptions[0]?.problem).toBeDefined()
  expect(found[8]?.subscriptions[0]?.problem).toBeUndefined()
  // Two alone, the others by eight, and the one that fails once more.
  expect(transactions).toBeLessThan(10)
  expect(evaluator.evaluations).toBe(PEOPLE.length)
})

test('devices with equal claims that wait at the same time share an answer', async () => {
  const evaluator = open()
  const one = PEOPLE[0] as string
  const found = await Promise.all(Array.from({ length: 30 }, () => evaluator.keys([subscription], session(one))))
  expect(new Set(found).size).toBe(3) // two found a free place, and the others waited
  expect(evaluator.evaluations).toBe(3)
  expect(new Set(found.map((keys) => keys.subscriptions[0]?.bucketNames.join())).size).toBe(1)
})

test('an evaluation asked for after a commit sees it, whatever is under way', async () => {
  const evaluator = open()
  const [one, list] = [PEOPLE[1] as string, 'bbbbbbbb-0000-4000-8000-000000000001']
  const before = Array.from({ length: 20 }, () => evaluator.keys([subscription], session(one)))
  await db.pool.execute(sql`insert into public.members (list_id, user_id) values (${list}::uuid, ${one}::uuid)`)
  const after = await evaluator.keys([subscription], session(one))
  expect(after.subscriptions[0]?.bucketNames.join()).toContain(list)
  await Promise.all(before)
})
