import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALICE, BOB, openWorld, type World } from '../sync-world.ts'
import type { CoverageReport } from '../../src/inspect/coverage.ts'
import type { RowExplanation } from '../../src/inspect/row-explanation.ts'

/* What operators are told about sync, over the service's own addresses. */

const LIST = '11111111-0000-4000-8000-000000000000'
const OWN = '0a000000-0000-4000-8000-000000000001'
const SHARED = '0a000000-0000-4000-8000-000000000002'
const FOREIGN = '0a000000-0000-4000-8000-000000000003'

let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.run(`
    create table public.plain (id int primary key);
    create table public.dated (id int primary key, on_day timestamptz);
    alter table public.dated enable row level security;
    create policy of_today on public.dated for select using (on_day > clock_timestamp());
    create function public.is_mine(who uuid) returns boolean language sql stable as $$ select who = auth.uid() $$;
    create table public.notes (id int primary key, owner_id uuid, done boolean not null default false);
    alter table public.notes enable row level security;
    create policy through_function on public.notes for select using (public.is_mine(owner_id));
    create policy unfinished on public.notes as restrictive for select using (not done);
    insert into public.list_members (list_id, user_id) values ('${LIST}', '${ALICE}');
    insert into public.items values ('${OWN}', '${ALICE}', null, 'own', 1), ('${SHARED}', '${BOB}', '${LIST}', 'shared', 2), ('${FOREIGN}', '${BOB}', null, 'foreign', 3);
    insert into public.notes values (1, '${ALICE}', false), (2, '${ALICE}', true);
    analyze;
  `)
  const device = world.device(ALICE, {})
  device.connect()
  await device.until(() => device.ids('notes').length === 1 && device.ids('items').length === 2)
  device.disconnect()
})

afterAll(async () => world?.[Symbol.asyncDispose]())

const serviceKey = (): string => Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')

async function get<Answer>(path: string, token = serviceKey()): Promise<Answer> {
  const response = await fetch(`${world.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  return (await response.json()) as Answer
}

const explain = (table: string, id: string, user = ALICE): Promise<RowExplanation> =>
  get(`/sync/v1/explain?user=${user}&table=${table}&id=${id}`)

describe('coverage', () => {
  test('tells for each table whether it syncs, and the reason when not', async () => {
    const { tables } = await get<CoverageReport>('/sync/v1/coverage')
    expect(tables.map(({ table, synced }) => [table, synced])).toEqual([
      ['holdfast.event_triggers', false],
      ['holdfast.login_passwords', false],
      ['holdfast.migrations', false],
      ['public.dated', false],
      ['public.items', true],
      ['public.list_members', true],
      ['public.notes', true],
      ['public.plain', false],
    ])
    expect(tables.find(({ table }) => table === 'public.plain')).toMatchObject({
      reason: 'row-level security is off',
    })
    expect(tables.find(({ table }) => table === 'public.dated')).toMatchObject({ refusedPolicy: 'of_today' })
  })

  test('tells for each policy what it is made of and how it is followed, with its query, what it depends on and its cost', async () => {
    const { tables } = await get<CoverageReport>('/sync/v1/coverage')
    const items = tables.find(({ table }) => table === 'public.items')
    expect(items?.policies.map(({ name, forms }) => [name, forms])).toEqual([
      ['own', ['equality']],
      ['shared', ['set']],
    ])
    const shared = items?.definitions.find(({ id }) => items.policies[1]?.definitions.includes(id))
    expect(shared).toMatchObject({
      state: 'served',
      form: 'key',
      follows: 'r."list_id" = keys from public.list_members',
      claims: ['auth.uid()'],
      cost: {
        rows: 3,
        distinctKeys: 1,
        buckets: 1,
        operations: 1,
        reevaluations: [{ table: 'public.list_members', concerns: { column: 'user_id' }, rows: 1 }],
      },
    })
    expect(shared?.keyQuery).toContain('list_members')
    const notes = tables.find(({ table }) => table === 'public.notes')
    expect(notes?.policies.map(({ name, permissive, forms }) => [name, permissive, forms])).toEqual([
      ['through_function', true, ['function']],
      ['unfinished', false, ['row filter', 'negation']],
    ])
  })

  test('is for the service key only', async () => {
    expect(await get('/sync/v1/coverage', world.token(ALICE))).toMatchObject({ error: { status: 403 } })
    expect(await get(`/sync/v1/rows?user=${BOB}`, world.token(ALICE))).toMatchObject({ error: { status: 403 } })
  })
})

test('a question with a NUL character is the fault of the question', async () => {
  for (const path of ['rows?user=a%00b', `explain?user=${ALICE}&table=a%00b&id=1`])
    expect(await get(`/sync/v1/${path}`)).toMatchObject({ error: { status: 400, code: 'PSYNC_S2001' } })
})

describe('explaining a row', () => {
  test('tells the policy and the key that let it through', async () => {
    expect(await explain('items', OWN)).toMatchObject({
      verdict: 'has it',
      because: [
        expect.stringMatching(/^Through "own" \(items\.\w+\): r\."owner_id" = aaaaaaaa/),
        expect.stringMatching(/^Not through "shared"/),
      ],
      postgres: {
        exists: true,
        visible: true,
        policies: [
          { name: 'own', passes: true },
          { name: 'shared', passes: null },
        ],
      },
    })
  })

  test('tells from which row of which table a key comes, and the operation that the log has', async () => {
    const found = await explain('public.items', SHARED)
    expect(found.verdict).toBe('has it')
    const bucket = found.definitions.flatMap((one) => one.buckets).find((one) => one.personHas)
    expect(bucket).toMatchObject({
      key: [LIST],
      sources: [{ table: 'public.list_members', row: { list_id: LIST, user_id: ALICE } }],
      operation: { current: true, opId: expect.stringMatching(/^\d+$/), checksum: expect.any(Number) },
    })
  })

  test('tells why a user does not have a row: no key, a filter, a refused table, no such row', async () => {
    expect(await explain('items', FOREIGN)).toMatchObject({
      verdict: 'does not have it',
      because: expect.arrayContaining([expect.stringContaining("is not among the person's 1 keys")]),
      postgres: { exists: true, visible: false },
    })
    expect(await explain('notes', '2')).toMatchObject({
      verdict: 'does not have it',
      because: [expect.stringContaining('keeps the row out')],
      postgres: {
        policies: [
          { name: 'through_function', passes: true },
          { name: 'unfinished', passes: false },
        ],
      },
    })
    expect(await explain('dated', '1')).toMatchObject({
      synced: false,
      because: [expect.stringContaining('policy "of_today"')],
    })
    expect(await explain('items', 'no uuid')).toMatchObject({ because: ['There is no such row.'] })
    expect(await explain('nothing', '1')).toMatchObject({ error: { code: 'sync_table_unknown', status: 404 } })
  })

  test('shouts when the log has something else than Postgres', async () => {
    const [op] = await world.rows<{ bucket_id: number; op_id: string; row_key: Buffer }>(
      `select o.bucket_id, o.op_id::text, o.row_key from sync.ops o join sync.buckets b on b.id = o.bucket_id where b.name like 'items.%${ALICE}%' and o.row_key is not null`,
    )
    const key = `'\\x${op?.row_key.toString('hex')}'::bytea`
    await world.run(`update sync.ops set row_key = null where bucket_id = ${op?.bucket_id} and op_id = ${op?.op_id}`)
    const found = await explain('items', OWN)
    expect(found.verdict).toBe('disagreement')
    expect(found.because[0]).toContain('the log does not have it there')
    await world.run(`update sync.ops set row_key = ${key} where bucket_id = ${op?.bucket_id} and op_id = ${op?.op_id}`)
    expect((await explain('items', OWN)).verdict).toBe('has it')
  })
})

test('the rows of a person are those of a device, byte for byte', async () => {
  const response = await fetch(`${world.url}/sync/v1/rows?user=${ALICE}`, {
    headers: { authorization: `Bearer ${serviceKey()}` },
  })
  const lines = (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>)
  expect(lines.pop()).toEqual({ complete: expect.arrayContaining(['items', 'list_members', 'notes']), narrowed: [] })
  const device = world.device(ALICE, {})
  device.connect()
  const { state } = await device.next()
  expect(new Map(lines.map(({ table, id, data }) => [`${table}/${id}`, data]))).toEqual(state)
})

test('streams are told of with what of them cannot be followed, and what a device may do without is no disagreement', async () => {
  await world.run(`
    create table public.tasks (id int primary key, owner_id uuid, state text);
    alter table public.tasks enable row level security;
    create policy own on public.tasks for select using (owner_id = auth.uid());
    insert into public.tasks values (1, '${ALICE}', 'open');
    select sync.create_stream('by_state', array[
      $$ select * from tasks where state = subscription.parameter('state') $$, 'select id from tasks'
    ])`)
  await expect
    .poll(async () => (await get<CoverageReport>('/sync/v1/coverage')).streams, { timeout: 60_000 })
    .toHaveLength(1)
  const { streams, tables } = await get<CoverageReport>('/sync/v1/coverage?settled=true')
  expect(streams).toMatchObject([
    {
      name: 'by_state',
      tables: [{ name: 'tasks' }],
      refused: [{ reason: expect.stringContaining('whole rows of one table') as string }],
    },
  ])
  const definitions = tables.find(({ table }) => table === 'public.tasks')?.definitions
  expect(definitions).toMatchObject([{ stream: 'by_state', policies: ['own', 'stream "by_state"'] }])
  // There is no answer while the plan is being replaced.
  await expect.poll(async () => (await explain('tasks', '1')).verdict, { timeout: 60_000 }).toBe('does not have it')
  const explanation = await explain('tasks', '1')
  expect(explanation.because[0]).toBe('Devices have the table through streams that they subscribe to: by_state.')
})
