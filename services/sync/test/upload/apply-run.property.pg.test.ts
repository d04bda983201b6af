import { runsOf } from '@holdfast/test-support'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { UploadRequest, UploadResponse } from '@holdfast/protocol'
import { openUploadWorld, type Operation, type UploadWorld } from './upload-world.ts'

/*
 * Operations that go to Postgres in one write are judged exactly as those that go one by one: the same verdicts with the same reasons, the same rows, the same
 * side effects. Tables here are those where merging rows into one statement would not do: policies that count rows of the same table, keys into the same
 * table, triggers per row and per statement, constraints that wait, guards, and tables that may be written but not read.
 */

const SCHEMA = `
  create table public.counted (id text primary key, label text);
  alter table public.counted enable row level security;
  create function public.counted_rows() returns bigint language sql stable security definer set search_path = ''
    as 'select count(*) from public.counted';
  create policy readable on public.counted for select using (true);
  create policy "three at most" on public.counted for insert with check (public.counted_rows() < 3);
  create policy changed on public.counted for update using (label is distinct from 'final');
  create policy deleted on public.counted for delete using (true);

  create table public.tree (id text primary key, parent text references public.tree (id), label text);
  create table public.waiting (id text primary key, parent text references public.waiting (id) deferrable initially deferred, label text);

  create table public.numbered (id text primary key, label text, n bigint, unique (label));
  create function public.number_row() returns trigger language plpgsql as $$
    begin new.n := (select count(*) from public.numbered); return new; end $$;
  create trigger numbering before insert or update on public.numbered for each row execute function public.number_row();
  create table public.journal (position bigint generated always as identity, what text);
  create function public.note_statement() returns trigger language plpgsql security definer as $$
    begin insert into public.journal (what) values (tg_op || (select count(*) from public.numbered)); return null; end $$;
  create trigger journal after insert or update or delete on public.numbered for each statement execute function public.note_statement();

  create table public.late (id text primary key deferrable, label text);
  create table public.guarded (id text primary key, label text);
  select sync.guard_columns('public.guarded', '{label}');
  create table public.dropbox (id text primary key, label text);
  grant select, insert, update, delete on public.counted, public.tree, public.waiting, public.numbered, public.late, public.guarded to authenticated;
  revoke all on public.dropbox from authenticated;
  grant insert on public.dropbox to authenticated;
`

const TABLES = ['counted', 'tree', 'waiting', 'numbered', 'late', 'guarded', 'dropbox'] as const
const LABELS = ['a', 'b', 'final', null]

const id = fc.constantFrom('1', '2', '3', '4', '5')

/** Likely to succeed; with a few that fail in every way. */
function operationOn(type: string): fc.Arbitrary<Operation> {
  const label = fc.constantFrom(...LABELS)
  const data =
    type === 'tree' || type === 'waiting'
      ? fc.record({ label, parent: fc.option(id, { freq: 3 }) }, { requiredKeys: ['label'] })
      : fc.record({ label })
  const unknown = fc.record({ label, nope: fc.constant(1) })
  const old = fc.option(fc.record({ label }), { nil: undefined, freq: 2 })
  return fc.oneof(
    { weight: 40, arbitrary: fc.record({ op: fc.constant('PUT' as const), type: fc.constant(type), id, data }) },
    { weight: 20, arbitrary: fc.record({ op: fc.constant('PATCH' as const), type: fc.constant(type), id, data, old }) },
    { weight: 15, arbitrary: fc.record({ op: fc.constant('DELETE' as const), type: fc.constant(type), id }) },
    {
      weight: 1,
      arbitrary: fc.record({ op: fc.constant('PATCH' as const), type: fc.constant(type), id, data: unknown }),
    },
  ) as fc.Arbitrary<Operation>
}

const operation = fc.constantFrom(...TABLES).chain(operationOn)
/** A run at night is longer. */
const TIMEOUT_MS = process.env['HOLDFAST_NIGHT'] ? 1_800_000 : 60_000

const transactions = fc.array(fc.array(operation, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 })

let together: UploadWorld
let oneByOne: UploadWorld

beforeAll(async () => {
  together = await openUploadWorld()
  oneByOne = await openUploadWorld({ context: { runOperationsMax: 0 } })
  for (const { database } of [together, oneByOne]) await database.pool.withClient((client) => client.query(SCHEMA))
})

afterAll(async () => {
  await together?.[Symbol.asyncDispose]()
  await oneByOne?.[Symbol.asyncDispose]()
})

async function empty({ database }: UploadWorld): Promise<void> {
  const all = [...TABLES, 'journal'].map((table) => `public.${table}`).join(', ')
  await database.pool.withClient((client) => client.query(`truncate sync.uploads, ${all} restart identity`))
}

function rowsOf({ database }: UploadWorld): Promise<unknown> {
  const all = [...TABLES, 'journal'].map(
    (table) => `'${table}', (select json_agg(t order by to_json(t)::text) from public.${table} t)`,
  )
  return database.pool.withClient(
    async (client) => (await client.query(`select json_build_object(${all.join(', ')}) as rows`)).rows as unknown,
  )
}

describe('operations in one write', () => {
  test(
    'are judged as one by one',
    async () => {
      await fc.assert(
        fc.asyncProperty(transactions, async (all) => {
          await Promise.all([empty(together), empty(oneByOne)])
          for (const operations of all) {
            const request = together.transaction(...operations)
            const answers = await Promise.all([together.upload(request), oneByOne.upload(request)])
            expect(answers[0]).toEqual(answers[1])
          }
          expect(await rowsOf(together)).toEqual(await rowsOf(oneByOne))
        }),
        { numRuns: runsOf(6, { variable: 'HOLDFAST_TOGETHER_RUNS' }) },
      )
    },
    TIMEOUT_MS,
  )

  test('may be a thousand, and a refusal among them names its operation', async () => {
    await empty(together)
    const rows = (from: number, count: number): Operation[] =>
      Array.from({ length: count }, (_, index) => ({
        op: 'PUT' as const,
        type: 'tree',
        id: `row ${from + index}`,
        data: { label: 'x' },
      }))
    const broken = together.transaction(
      ...rows(0, 600),
      { op: 'PATCH', type: 'tree', id: 'nobody', data: { label: 'y' } },
      ...rows(600, 600),
    )
    const refused = await together.upload(broken)
    expect(
      refused.verdicts.flatMap(({ status }, index) => (status === 'not_reached' ? [] : [[index, status]])),
    ).toEqual([[600, 'no_row']])
    const answer: UploadResponse = await together.upload(together.transaction(...rows(0, 1_200)))
    expect(answer.status).toBe('applied')
    const rowCount = await together.database.pool.withClient(
      async (client) => (await client.query(`select count(*)::int as n from public.tree`)).rows as unknown,
    )
    expect(rowCount).toEqual([{ n: 1_200 }])
  })
})

test('statements that were prepared for a table are not used for another shape of it', async () => {
  const { database } = together
  await empty(together)
  const put = (from: number): UploadRequest =>
    together.transaction(
      ...Array.from({ length: 10 }, (_, index) => ({
        op: 'PUT' as const,
        type: 'dropbox',
        id: `${from + index}`,
        data: { label: '007' },
      })),
    )
  const applied = { status: 'applied' }
  expect(await together.upload(put(0))).toMatchObject(applied)
  await database.pool.withClient((client) =>
    client.query(`alter table public.dropbox alter column label type int using label::int`),
  )
  expect(await together.upload(put(10))).toMatchObject(applied)
  await database.pool.withClient((client) => client.query(`alter table public.dropbox alter column label type text`))
  expect(await together.upload(put(20))).toMatchObject(applied)
  const labels = await database.pool.withClient(
    async (client) =>
      (await client.query(`select label, count(*)::int as n from public.dropbox group by label order by 1`))
        .rows as unknown,
  )
  expect(labels).toEqual([
    { label: '007', n: 10 },
    { label: '7', n: 20 },
  ])
})
