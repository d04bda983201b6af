import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fastify, { type FastifyInstance } from 'fastify'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Caller } from '@holdfast/http'
import { createPool, sql, type Pool } from '@holdfast/postgres'
import { UPLOAD_PATH, type UploadOperation, type UploadRequest, type UploadResponse } from '@holdfast/protocol'
import { openTestDatabase } from '@holdfast/test-support'
import { uploadRoutes } from '../routes/upload.ts'
import { judgeUpload } from './judge-upload.ts'

/*
 * What is pinned here: one local transaction becomes one Postgres transaction, exactly once, under row-level security; every refusal comes back
 * with its reason; nothing that a client can send is answered with a 500.
 */

const ALICE = '11111111-1111-4111-8111-111111111111'
const BOB = '22222222-2222-4222-8222-222222222222'
const CLIENT = 'cccccccc-cccc-4ccc-8ccc-cccccccccccc'

const SCHEMA = `
  create type public.task_state as enum ('open', 'doing', 'done');
  create table public.sites (id uuid primary key, name text not null, frozen boolean not null default false);
  create table public.tasks (
    id uuid primary key,
    owner_id uuid not null default nullif(current_setting('request.jwt.claims', true)::jsonb ->> 'sub', '')::uuid,
    title varchar(20) not null check (title <> 'forbidden'),
    state public.task_state not null default 'open',
    points integer,
    ratio double precision,
    cost numeric(8,2),
    urgent boolean,
    tags text[],
    extra jsonb,
    due_on date,
    seen_at timestamptz,
    photo bytea,
    code text unique,
    site_id uuid references public.sites (id) deferrable initially deferred,
    shout text generated always as (upper(title)) stored
  );
  create table public.feedback (id uuid primary key, body text);
  alter table public.sites enable row level security;
  alter table public.tasks enable row level security;
  alter table public.feedback enable row level security;
  grant select, insert, update, delete on public.tasks, public.sites to authenticated, anon;
  revoke all on public.feedback from authenticated;
  grant select, insert on public.feedback to authenticated;
  create policy "sites are read by all" on public.sites for select using (true);
  create policy "sites are made by all" on public.sites for insert with check (true);
  create policy "own tasks" on public.tasks for all to authenticated
    using (owner_id = (current_setting('request.jwt.claims')::jsonb ->> 'sub')::uuid)
    with check (owner_id = (current_setting('request.jwt.claims')::jsonb ->> 'sub')::uuid);
  create policy "done is shown" on public.tasks for select to authenticated using (state = 'done');
  create policy "no tasks on frozen sites" on public.tasks as restrictive for insert to authenticated
    with check (not exists (select from public.sites s where s.id = site_id and s.frozen));
  comment on policy "no tasks on frozen sites" on public.tasks is 'A frozen site takes no tasks.';
  comment on constraint tasks_title_check on public.tasks is 'No forbidden words.';
  create policy "anybody may say something" on public.feedback for insert to authenticated with check (true);
`

let database: Awaited<ReturnType<typeof openTestDatabase>>
let pool: Pool
let app: FastifyInstance

beforeAll(async () => {
  database = await openTestDatabase()
  await database.pool.withClient(async (client) => {
    await client.query(readFileSync(new URL('../../migrations/0002_upload.sql', import.meta.url), 'utf8'))
    await client.query(SCHEMA)
  })
  pool = createPool({
    url: database.requestUrl,
    applicationName: 'uploads',
    connectionsMax: 8,
    acquireTimeoutMs: 5_000,
  })
  app = fastify()
  app.decorateRequest('caller')
  app.addHook('onRequest', async (request) => {
    request.caller = JSON.parse(String(request.headers['x-caller'])) as Caller
  })
  // As the gateway renders what the routes throw, in short.
  app.setErrorHandler((error: { code: string; status?: number; statusCode?: number }, _request, reply) => {
    const status = error.status ?? error.statusCode ?? 500
    return reply.code(status).send({ error: { code: error.code, status } })
  })
  await app.register(uploadRoutes({ requestPool: pool }))
})

afterAll(async () => {
  await app?.close()
  await pool?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

beforeEach(async () => {
  await database.pool.execute(sql`truncate sync.uploads, public.tasks, public.sites, public.feedback`)
})

const caller = (userId: string | undefined, role = 'authenticated'): Caller => ({
  role,
  userId,
  claims: { role, ...(userId ? { sub: userId } : {}) },
  expiresAtS: undefined,
})

async function post(
  body: unknown,
  as: Caller = caller(ALICE),
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await app.inject({
    method: 'POST',
    url: UPLOAD_PATH,
    headers: { 'content-type': 'application/json', 'x-caller': JSON.stringify(as) },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.statusCode, body: response.json() as Record<string, unknown> }
}

let position = 0
type Operation = Omit<UploadOperation, 'op_id' | 'type'> & { type?: string }

function transaction(...operations: readonly Operation[]): UploadRequest {
  const numbered = operations.map((operation) => ({ type: 'tasks', ...operation, op_id: ++position }))
  return { client_id: CLIENT, position, operations: numbered }
}

async function upload(request: UploadRequest, as?: Caller): Promise<UploadResponse> {
  const { status, body } = await post(request, as)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body as unknown as UploadResponse
}

async function tasks(): Promise<readonly Record<string, unknown>[]> {
  return database.pool.query(sql`
    select id, owner_id, title, state, points, urgent, tags, extra, shout, site_id from public.tasks order by title`)
}

async function seedTask(
  fields: { owner?: string; title?: string; state?: string; code?: string } = {},
): Promise<string> {
  const id = randomUUID()
  await database.pool.execute(sql`
    insert into public.tasks (id, owner_id, title, state, code)
    values (${id}, ${fields.owner ?? ALICE}, ${fields.title ?? 'seeded'}, ${fields.state ?? 'open'}::public.task_state, ${fields.code ?? null})`)
  return id
}

describe('an upload is refused whole', () => {
  test.each([
    ['no JSON', '{', 400, 'FST_ERR_CTP_INVALID_JSON_BODY'],
    ['an empty body', '', 400, 'FST_ERR_CTP_EMPTY_JSON_BODY'],
    ['a list', [], 400, 'PSYNC_S2001'],
    ['no client id', { position: 1, operations: [] }, 400, 'PSYNC_S2001'],
    ['no operations', { client_id: CLIENT, position: 1, operations: [] }, 400, 'PSYNC_S2001'],
    [
      'an unknown op',
      { client_id: CLIENT, position: 1, operations: [{ op_id: 1, op: 'MERGE', type: 'tasks', id: 'x' }] },
      400,
      'PSYNC_S2001',
    ],
    [
      'a position of 0',
      { client_id: CLIENT, position: 0, operations: [{ op_id: 1, op: 'DELETE', type: 'tasks', id: 'x' }] },
      400,
      'PSYNC_S2001',
    ],
    [
      'nested data',
      {
        client_id: CLIENT,
        position: 1,
        operations: [{ op_id: 1, op: 'PUT', type: 'tasks', id: 'x', data: { a: {} } }],
      },
      400,
      'PSYNC_S2001',
    ],
    ['more than 4 MiB', { client_id: CLIENT, padding: 'x'.repeat(5 * 1024 * 1024) }, 413, 'FST_ERR_CTP_BODY_TOO_LARGE'],
    [
      '10,001 operations',
      {
        client_id: CLIENT,
        position: 1,
        operations: Array.from({ length: 10_001 }, (_, op_id) => ({ op_id, op: 'DELETE', type: 't', id: '1' })),
      },
      400,
      'PSYNC_S2001',
    ],
  ])('with %s', async (_title, body, status, code) => {
    const answer = await post(body)
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ error: { code, status } })
  })

  test('without a user', async () => {
    const answer = await post(
      transaction({ op: 'PUT', id: randomUUID(), data: { title: 'x' } }),
      caller(undefined, 'anon'),
    )
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'PSYNC_S2106' } } })
  })

  test('with a role that does not exist', async () => {
    const answer = await post(
      transaction({ op: 'PUT', id: randomUUID(), data: { title: 'x' } }),
      caller(ALICE, 'emperor'),
    )
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'PSYNC_S2101' } } })
  })

  test('when the key was used for other operations', async () => {
    const first = transaction({ op: 'PUT', id: randomUUID(), data: { title: 'first' } })
    await upload(first)
    const answer = await post({ ...first, operations: [{ ...first.operations[0], data: { title: 'other' } }] })
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'HF_UPLOAD_KEY_REUSED' } } })
    expect(await tasks()).toMatchObject([{ title: 'first' }])
  })
})

describe('a transaction is refused', () => {
  test('by a restrictive policy, which is named', async () => {
    const site = randomUUID()
    await database.pool.execute(sql`insert into public.sites values (${site}, 'old works', true)`)
    const request = transaction({ op: 'PUT', id: randomUUID(), data: { title: 'x', site_id: site } })
    expect(await upload(request)).toEqual({
      status: 'refused',
      repeated: false,
      verdicts: [
        {
          op_id: position,
          status: 'error',
          sqlstate: '42501',
          message: 'new row violates row-level security policy "no tasks on frozen sites" for table "tasks"',
          table: 'tasks',
          policies: ['no tasks on frozen sites'],
          rule: 'A frozen site takes no tasks.',
        },
      ],
    })
  })

  test('by permissive policies, of which all candidates are named', async () => {
    const put = await upload(transaction({ op: 'PUT', id: randomUUID(), data: { title: 'x', owner_id: BOB } }))
    expect(put.verdicts[0]).toMatchObject({ sqlstate: '42501', policies: ['own tasks'] })
    const id = await seedTask()
    const patch = await upload(transaction({ op: 'PATCH', id, data: { owner_id: BOB } }))
    expect(patch.verdicts[0]).toMatchObject({ sqlstate: '42501', policies: ['own tasks', 'done is shown'] })
  })

  test('whole: what the first operation wrote is gone, and only the failing one has a reason', async () => {
    const request = transaction(
      { op: 'PUT', id: randomUUID(), data: { title: 'fine' } },
      { op: 'PUT', id: randomUUID(), data: { title: 'forbidden' } },
      { op: 'PUT', id: randomUUID(), data: { title: 'never tried' } },
    )
    const answer = await upload(request)
    expect(answer.status).toBe('refused')
    expect(answer.verdicts.map((verdict) => verdict.status)).toEqual(['not_reached', 'error', 'not_reached'])
    expect(answer.verdicts[1]).toMatchObject({
      sqlstate: '23514',
      constraint: 'tasks_title_check',
      rule: 'No forbidden words.',
    })
    expect(await tasks()).toEqual([])
  })

  test.each<[string, Operation, Record<string, unknown>]>([
    ['an unknown table', { op: 'PUT', type: 'nope', id: ALICE }, { sqlstate: '42P01' }],
    ['a system table', { op: 'DELETE', type: 'pg_catalog__pg_class', id: '1' }, { sqlstate: '42P01' }],
    ['a table of the auth schema', { op: 'DELETE', type: 'auth__users', id: ALICE }, { sqlstate: '42P01' }],
    ['a table name with a NUL', { op: 'DELETE', type: 'a\0b', id: ALICE }, { sqlstate: '42P01' }],
    ['an empty table name', { op: 'DELETE', type: '', id: ALICE }, { sqlstate: '42P01' }],
    [
      'an unknown column',
      { op: 'PUT', id: ALICE, data: { title: 'x', nope: 1 } },
      { sqlstate: '42703', column: 'nope' },
    ],
    ['a column named like SQL', { op: 'PATCH', id: ALICE, data: { 'title" = 1 --': 1 } }, { sqlstate: '42703' }],
    [
      'a column named as an inherited property',
      { op: 'PATCH', id: ALICE, data: { constructor: 'x' } },
      { sqlstate: '42703' },
    ],
    ['an id that is no uuid', { op: 'DELETE', id: 'x' }, { sqlstate: '22P02' }],
    ['an id with a NUL', { op: 'DELETE', id: '\0' }, { sqlstate: '22021' }],
    ['text in a number', { op: 'PUT', id: ALICE, data: { title: 'x', points: 'many' } }, { sqlstate: '22P02' }],
    [
      'too long a text, which is not cut',
      { op: 'PUT', id: ALICE, data: { title: 'x'.repeat(21) } },
      { sqlstate: '22001' },
    ],
    ['an unknown choice', { op: 'PUT', id: ALICE, data: { title: 'x', state: 'lost' } }, { sqlstate: '22P02' }],
    ['a missing value', { op: 'PUT', id: ALICE, data: { points: 1 } }, { sqlstate: '23502', column: 'title' }],
    ['a broken list', { op: 'PUT', id: ALICE, data: { title: 'x', tags: '[1' } }, { sqlstate: '22P02' }],
    [
      'binary data',
      { op: 'PUT', id: ALICE, data: { title: 'x', photo: 'abc' } },
      { sqlstate: '0A000', column: 'photo' },
    ],
    ['an edit of a generated column', { op: 'PATCH', id: ALICE, data: { shout: 'X' } }, { sqlstate: '428C9' }],
    [
      'a link to nothing, found at the end',
      { op: 'PUT', id: ALICE, data: { title: 'x', site_id: BOB } },
      { sqlstate: '23503', constraint: 'tasks_site_id_fkey' },
    ],
    ['a command that was not granted', { op: 'DELETE', type: 'feedback', id: ALICE }, { sqlstate: '42501' }],
  ])('for %s', async (_title, operation, verdict) => {
    const answer = await upload(transaction(operation))
    expect(answer.status).toBe('refused')
    expect(answer.verdicts[0]).toMatchObject({ status: 'error', ...verdict })
    expect(await tasks()).toEqual([])
  })

  test('for a value that another record has', async () => {
    await seedTask({ code: 'A1' })
    const answer = await upload(transaction({ op: 'PUT', id: randomUUID(), data: { title: 'x', code: 'A1' } }))
    expect(answer.verdicts[0]).toMatchObject({ sqlstate: '23505', constraint: 'tasks_code_key' })
  })

  test.each(['PATCH', 'DELETE'] as const)(
    'when %s touches no row: gone, hidden, or shown but not to be changed',
    async (op) => {
      const hidden = await seedTask({ owner: BOB })
      const shown = await seedTask({ owner: BOB, state: 'done' })
      for (const id of [randomUUID(), hidden, shown]) {
        const answer = await upload(transaction({ op, id, ...(op === 'PATCH' ? { data: { title: 'mine' } } : {}) }))
        expect(answer).toMatchObject({ status: 'refused', verdicts: [{ status: 'no_row' }] })
      }
      expect(await tasks()).toHaveLength(2)
    },
  )

  test('as a conflict with the current values when a guarded column was changed by somebody else', async () => {
    const id = await seedTask({ state: 'done' })
    const answer = await upload(
      transaction({ op: 'PATCH', id, data: { state: 'doing', points: 3 }, old: { state: 'open' } }),
    )
    expect(answer).toMatchObject({ status: 'refused', verdicts: [{ status: 'conflict', current: { state: 'done' } }] })
    const agreed = await upload(
      transaction({ op: 'PATCH', id, data: { state: 'doing' }, old: { state: 'done', urgent: null } }),
    )
    expect(agreed.status).toBe('applied')
  })

  test('but not for a guard of a value that the device could not know yet: a default', async () => {
    const id = randomUUID()
    const request = transaction(
      { op: 'PUT', id, data: { title: 'made offline' } },
      { op: 'PATCH', id, data: { state: 'doing' }, old: { state: null } },
      { op: 'DELETE', id, old: { state: 'doing' } },
    )
    expect((await upload(request)).status).toBe('applied')
  })
})

describe('a transaction is applied', () => {
  test('with SQLite values turned into those of the columns', async () => {
    const id = randomUUID()
    const data = {
      title: 'pump',
      state: 'doing',
      points: 3,
      ratio: 0.1,
      cost: '10.50',
      urgent: 1,
      tags: '["a \\"b\\"","c\\\\d",null,""]',
      extra: '{"a":[1]}',
      due_on: '2026-11-20',
      seen_at: '2026-11-20T10:00:00.000001Z',
      shout: 'ignored',
    }
    expect(await upload(transaction({ op: 'PUT', id, data }))).toMatchObject({ status: 'applied' })
    expect(await tasks()).toEqual([
      {
        id,
        owner_id: ALICE,
        title: 'pump',
        state: 'doing',
        points: 3,
        urgent: true,
        tags: ['a "b"', 'c\\d', null, ''],
        extra: { a: [1] },
        shout: 'PUMP',
        site_id: null,
      },
    ])
    // What Postgres prints for the guarded values is what the device holds, so nothing here is a conflict.
    const old = {
      points: 3,
      ratio: 0.1,
      cost: '10.50',
      urgent: 1,
      seen_at: '2026-11-20T10:00:00.000001Z',
      extra: '{"a": [1]}',
    }
    expect(await upload(transaction({ op: 'PATCH', id, data: { urgent: 0 }, old }))).toMatchObject({
      status: 'applied',
    })
  })

  test('as a whole row on PUT, as the changed columns on PATCH, and gone after DELETE', async () => {
    const id = randomUUID()
    await upload(transaction({ op: 'PUT', id, data: { title: 'a', points: 1 } }))
    await upload(transaction({ op: 'PUT', id, data: { title: 'b' } }))
    expect(await tasks()).toMatchObject([{ title: 'b', points: 1 }])
    await upload(transaction({ op: 'PATCH', id, data: { points: null } }, { op: 'PATCH', id, data: {} }))
    expect(await tasks()).toMatchObject([{ title: 'b', points: null }])
    expect(await upload(transaction({ op: 'DELETE', id }))).toMatchObject({ status: 'applied' })
    expect(await tasks()).toEqual([])
  })

  test('with links that are right only at the end', async () => {
    const site = randomUUID()
    const request = transaction(
      { op: 'PUT', id: randomUUID(), data: { title: 'x', site_id: site } },
      { op: 'PUT', type: 'sites', id: site, data: { name: 'works' } },
    )
    expect(await upload(request)).toMatchObject({ status: 'applied' })
  })

  test('when the person may write a row but neither read nor change it', async () => {
    const request = transaction({ op: 'PUT', type: 'feedback', id: randomUUID(), data: { body: 'hello' } })
    expect(await upload(request)).toMatchObject({ status: 'applied' })
    expect(await database.pool.query(sql`select body from public.feedback`)).toEqual([{ body: 'hello' }])
  })
})

describe('a repeated transaction', () => {
  test('gets the recorded answer and writes nothing', async () => {
    const request = transaction({ op: 'PUT', id: randomUUID(), data: { title: 'once' } })
    const first = await upload(request)
    await database.pool.execute(sql`delete from public.tasks`)
    expect(await upload(request)).toEqual({ ...first, repeated: true })
    expect(await tasks()).toEqual([])
    const refused = transaction({ op: 'PUT', id: randomUUID(), data: { title: 'forbidden' } })
    expect(await upload(refused)).toEqual({ ...(await upload(refused)), repeated: false })
  })

  test('at the same moment waits and answers the same', async () => {
    const request = transaction({ op: 'PUT', id: randomUUID(), data: { title: 'once' } })
    const answers = await Promise.all(Array.from({ length: 6 }, () => upload(request)))
    expect(answers.filter((answer) => !answer.repeated)).toHaveLength(1)
    expect(new Set(answers.map((answer) => JSON.stringify(answer.verdicts))).size).toBe(1)
    expect(await tasks()).toHaveLength(1)
  })

  test('of another person or device is another transaction', async () => {
    const request = transaction({ op: 'PUT', id: randomUUID(), data: { title: 'mine' } })
    await upload(request)
    const other = await upload({ ...request, client_id: randomUUID() })
    expect(other).toMatchObject({ repeated: false, status: 'applied' })
    expect(await upload(request, caller(BOB))).toMatchObject({ repeated: false, status: 'refused' })
  })

  test('after the connection died before the commit is applied once', async () => {
    const id = await seedTask()
    const request = transaction({ op: 'PATCH', id, data: { points: 7 } })
    const killed = await database.pool.transaction(async (tx) => {
      await tx.execute(sql`update public.tasks set points = 1 where id = ${id}`) // holds the row, so that the upload waits inside its transaction
      const answer = post(request)
      await expect
        .poll(async () => {
          const waiting = await tx.query(
            sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'uploads' and datname = current_database() and wait_event_type = 'Lock'`,
          )
          return waiting.length
        })
        .toBe(1)
      return answer
    })
    expect(killed).toMatchObject({ status: 503, body: { error: { code: 'PSYNC_S2001' } } })
    expect(await upload(request)).toMatchObject({ repeated: false, status: 'applied' })
    expect(await tasks()).toMatchObject([{ points: 7 }])
  })

  test('while Postgres gives up on a lock is no verdict', async () => {
    const id = await seedTask()
    const request = transaction({ op: 'PATCH', id, data: { points: 7 } })
    const url = new URL(database.requestUrl)
    url.searchParams.set('options', '-c lock_timeout=50ms')
    await using impatient = createPool({ url: url.href, applicationName: 'impatient', connectionsMax: 1 })
    await database.pool.transaction(async (tx) => {
      await tx.execute(sql`update public.tasks set points = 1 where id = ${id}`)
      await expect(judgeUpload(impatient, caller(ALICE), request)).rejects.toMatchObject({ status: 503 })
    })
    expect(await upload(request)).toMatchObject({ repeated: false, status: 'applied' })
  })

  test('may not be recorded by a person', async () => {
    const attempt = pool.transaction(async (tx) => {
      await tx.execute(sql`set local role authenticated`)
      await tx.query(sql`select sync.claim_upload('x', ${CLIENT}, 1, '\\x00')`)
    })
    await expect(attempt).rejects.toMatchObject({ code: '42501' })
  })
})

test('any queue of transactions, replayed with lost answers and duplicates, leaves the database as once', async () => {
  const ids = Array.from({ length: 3 }, () => randomUUID())
  const operation: fc.Arbitrary<Operation> = fc.record({
    op: fc.constantFrom('PUT', 'PATCH', 'DELETE'),
    id: fc.constantFrom(...ids),
    data: fc.record({ title: fc.constantFrom('a', 'b', 'forbidden'), points: fc.integer({ min: 0, max: 9 }) }),
  })
  const queue = fc.array(
    fc.tuple(fc.array(operation, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 3 })),
    { maxLength: 6 },
  )
  await fc.assert(
    fc.asyncProperty(queue, async (steps) => {
      const requests = steps.map(([operations]) =>
        transaction(...operations.map((entry) => (entry.op === 'DELETE' ? { op: entry.op, id: entry.id } : entry))),
      )
      const state = async (): Promise<unknown> =>
        database.pool.query(sql`select id, title, points from public.tasks order by id`)
      await database.pool.execute(sql`truncate sync.uploads, public.tasks`)
      for (const request of requests) await upload(request)
      const once = await state()
      await database.pool.execute(sql`truncate sync.uploads, public.tasks`)
      for (const [index, request] of requests.entries()) {
        const sent = await Promise.all(Array.from({ length: steps[index]?.[1] ?? 1 }, () => upload(request)))
        const earlier = requests[index - 1]
        if (earlier) expect((await upload(earlier)).repeated).toBe(true)
        expect(new Set(sent.map((answer) => answer.status)).size).toBe(1)
      }
      expect(await state()).toEqual(once)
    }),
    { numRuns: 25 },
  )
})

test('no body whatever is answered with a 500', async () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.double(), fc.boolean(), fc.constant('\u0000'))
  const column = fc.oneof(
    fc.constantFrom('title', 'state', 'points', 'tags', 'extra', 'cost', 'seen_at', 'photo', 'site_id'),
    fc.string(),
  )
  const row = fc.dictionary(column, value, { maxKeys: 4 })
  const operation = fc.record(
    {
      op_id: fc.oneof(
        { weight: 9, arbitrary: fc.integer({ min: 1, max: 1_000_000 }) },
        { weight: 1, arbitrary: value },
      ),
      op: fc.constantFrom('PUT', 'PATCH', 'DELETE'),
      type: fc.oneof(fc.constantFrom('tasks', 'sites', 'feedback', 'hf_x', 'a__b'), fc.string()),
      id: fc.oneof(fc.uuid(), fc.string()),
      data: row,
      old: row,
    },
    { requiredKeys: ['op_id', 'op', 'type', 'id'] },
  )
  const body = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        client_id: fc.uuid(),
        position: fc.integer({ min: 1 }),
        operations: fc.array(operation, { maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.jsonValue() },
  )
  await fc.assert(
    fc.asyncProperty(body, async (garbage) => {
      const answer = await post(garbage)
      expect([200, 400, 409]).toContain(answer.status)
    }),
    { numRuns: 150 },
  )
})
