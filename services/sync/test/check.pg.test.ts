import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHECK_PATH, digestRow, rangeOfKey, RangeSums, type CheckLine, type CheckQuestion } from '@holdfast/protocol'
import { ALICE, BOB, LISTS_SCHEMA, openWorld, type World } from './sync-world.ts'
import type { DeviceState } from './stream-client.ts'

/* A device compares itself with sums of what Postgres shows to its person. The rows that came over the stream are what the answers are compared with here. */

const SCHEMA = `${LISTS_SCHEMA}
  create type public.mood as enum ('good', 'bad');
  create table public.values_of (
    id bigint primary key, owner_id uuid, flag boolean, doc jsonb, raw json, amount numeric, ratio float8, at timestamptz, day date, moods public.mood[], span int4range, note text
  );
  create table public.pairs (a int, b text, owner_id uuid, primary key (a, b));
  create table public.fails (id int primary key, owner_id uuid, n int);
  alter table public.values_of enable row level security;
  alter table public.pairs enable row level security;
  alter table public.fails enable row level security;
  create policy own on public.values_of for select using (owner_id = (select auth.uid()));
  create policy own on public.pairs for select using (owner_id = (select auth.uid()));
  create policy odd on public.fails for select using (owner_id = (select auth.uid()) and 1 / n > 0);
`

let world: World
let alice: DeviceState

beforeAll(async () => {
  world = await openWorld({ schema: SCHEMA })
  await world.run(`
    insert into public.items (owner_id, title, n) select case when n % 3 = 0 then '${BOB}'::uuid else '${ALICE}' end, 'Item ' || n, n from generate_series(1, 900) n;
    insert into public.values_of values
      (1, '${ALICE}', true, '{"b": 1, "a": [true, null]}', '{"b":1,  "a":2}', 10.50, 'NaN', '2024-02-29 12:13:14.5+02', 'infinity', '{good,bad}', '[1,5)', E'a "quoted"\\nline é 日本'),
      (2, '${ALICE}', false, null, null, 'NaN', 1e21, '-infinity', '2024-02-29', '{}', 'empty', ''),
      (9007199254740993, '${ALICE}', null, 'null', 'null', null, '-0', null, null, null, null, null),
      (4, '${BOB}', true, '{}', '{}', 1, 1, now(), now(), null, null, 'of Bob');
    insert into public.pairs values (1, 'x', '${ALICE}'), (1, 'y', '${ALICE}'), (2, 'x', '${BOB}');
    insert into public.fails values (1, '${BOB}', 1);
  `)
  const device = world.device(ALICE, {})
  device.connect()
  await device.until(
    () => ['items', 'values_of', 'pairs'].map((table) => device.ids(table).length).join() === '600,3,2',
  )
  alice = device.state
  device.disconnect()
})

afterAll(() => world?.[Symbol.asyncDispose]())

function post(body: unknown, token: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${world.url}${CHECK_PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  }).then(async (response) => new Response(await response.text(), { status: response.status }))
}

async function check(questions: readonly CheckQuestion[], user = ALICE): Promise<readonly CheckLine[]> {
  const response = await post({ questions }, world.token(user))
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CheckLine)
}

async function rowsOf(question: CheckQuestion, user = ALICE): Promise<ReadonlyMap<string, string>> {
  const lines = await check([question], user)
  return new Map(lines.flatMap((line) => ('rows' in line ? line.rows : [])))
}

/** The rows of a table on the device: id and text. */
function deviceRows(table: string): readonly (readonly [string, string])[] {
  return [...alice].flatMap(([key, data]) =>
    key.startsWith(`${table}/`) ? [[key.slice(table.length + 1), data] as const] : [],
  )
}

const TABLES = ['items', 'values_of', 'pairs']

test('the sums are those of a device that has what the stream sent, of every type of value and key', async () => {
  const lines = await check(TABLES.map((table) => ({ table, ranges: 16 })))
  for (const table of TABLES) {
    const own = new RangeSums(16)
    for (const [id, data] of deviceRows(table)) own.add(id, data)
    expect(lines).toContainEqual({ table, sums: own.list() })
  }
  expect(lines.at(-1)).toEqual({ complete: expect.arrayContaining(TABLES) as string[], narrowed: [] })
})

test('the rows of a range are those that its sum adds up', async () => {
  const wanted = deviceRows('items').filter(([id]) => [3, 5].includes(rangeOfKey(id, 8)))
  expect(await rowsOf({ table: 'items', ranges: 8, only: [3, 5] })).toEqual(
    new Map(wanted.map(([id, data]) => [id, digestRow(id, data)])),
  )
})

test('rows are found by their ids, and an id that no row can have hides no other', async () => {
  const [[id, data] = ['', '']] = deviceRows('items')
  expect(await rowsOf({ table: 'items', ids: [id, 'no uuid', 'with \0'] })).toEqual(
    new Map([[id, digestRow(id, data)]]),
  )
  const pairs = deviceRows('pairs')
  expect(await rowsOf({ table: 'pairs', ids: [...pairs.map(([key]) => key), '["2","x"]', '{}'] })).toEqual(
    new Map(pairs.map(([key, text]) => [key, digestRow(key, text)])),
  )
})

test('nothing is told of a row that the policies deny, by its range, its id, or a sum', async () => {
  const foreign = await world.rows<{ id: string }>(`select id::text from public.items where owner_id = '${BOB}'`)
  const ids = foreign.map((row) => row.id)
  expect(ids).toHaveLength(300)
  expect(await rowsOf({ table: 'items', ids })).toEqual(new Map())
  const shown = await rowsOf({ table: 'items', ranges: 1, only: [0] })
  expect(ids.filter((id) => shown.has(id))).toEqual([])
  expect([...(await rowsOf({ table: 'items', ranges: 1, only: [0] }, BOB)).keys()].toSorted()).toEqual(ids.toSorted())
  const sums = (lines: readonly CheckLine[]): unknown => lines.find((line) => 'sums' in line)
  const before = sums(await check([{ table: 'items', ranges: 1 }]))
  await world.run(`update public.items set title = 'Other' where owner_id = '${BOB}'`)
  expect(sums(await check([{ table: 'items', ranges: 1 }]))).toEqual(before)
  expect(await check([{ table: 'holdfast.migrations', ranges: 1 }])).toHaveLength(1)
})

test('a table whose policy fails for the person is named, and the others are answered', async () => {
  await world.run(`insert into public.fails values (2, '${ALICE}', 0)`)
  const lines = await check([
    { table: 'fails', ranges: 1 },
    { table: 'pairs', ranges: 1 },
  ])
  expect(lines).toContainEqual({ table: 'fails', fails: '22012' })
  expect(lines).toContainEqual({ table: 'pairs', sums: [[2, expect.any(String)]] })
})

test('what is no question is refused, and so is whoever is nobody', async () => {
  const bad = [
    {},
    { questions: [] },
    { questions: [null] },
    { questions: [{ table: 'items' }] },
    { questions: [{ table: 'items', ranges: 3 }] },
    { questions: [{ table: 'items', ranges: 8_192 }] },
    { questions: [{ table: 'items', ranges: 4, only: [4] }] },
    { questions: [{ table: 'items', ids: [1] }] },
    { questions: [{ table: 'items', ids: Array.from({ length: 1_001 }, String) }] },
    { questions: [0, 0].map(() => ({ table: 'items', ranges: 1 })) },
  ]
  for (const body of bad) expect((await post(body, world.token(ALICE))).status, JSON.stringify(body)).toBe(400)
  const nobody = Buffer.from(JSON.stringify({ role: 'anon' })).toString('base64url')
  expect((await post({ questions: [{ table: 'items', ranges: 1 }] }, nobody)).status).toBe(401)
})

test('a person has one check at a time, and can begin the next when a device went away', async () => {
  const body = { questions: [{ table: 'pairs', ranges: 1 }] }
  const status = async (user: string): Promise<number> => (await post(body, world.token(user))).status
  const waits = `select from pg_catalog.pg_locks where relation = 'public.pairs'::regclass and not granted`
  await world.db.pool.withClient(async (client) => {
    await client.query('begin; lock table public.pairs in access exclusive mode')
    const gone = new AbortController()
    const waiting = post(body, world.token(ALICE), gone.signal)
    const rejected = expect(waiting).rejects.toThrow('abort')
    await expect.poll(() => world.rows(waits), { timeout: 60_000 }).toHaveLength(1)
    expect(await status(ALICE)).toBe(429)
    gone.abort()
    await rejected
    await client.query('rollback')
  })
  await expect.poll(() => status(ALICE), { timeout: 60_000 }).toBe(200)
  expect(await status(BOB)).toBe(200)
})
