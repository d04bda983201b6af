import { randomUUID } from 'node:crypto'
import { runsOf } from '@holdfast/test-support'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPool, sql } from '@holdfast/postgres'
import type { UploadRequest, UploadResponse } from '@holdfast/protocol'
import { judgeUpload } from '../../src/upload/judge-upload.ts'
import { ALICE, BOB, caller, CLIENT, openUploadWorld, type Operation, type UploadWorld } from './upload-world.ts'

/*
 * Pins that a transaction is applied exactly once, whatever is lost, repeated or killed on the way, and nothing that a client can send
 * is answered with a 500.
 */

let world: UploadWorld

beforeAll(async () => {
  world = await openUploadWorld()
})

afterAll(async () => world?.[Symbol.asyncDispose]())

beforeEach(() => world.empty())

describe('a repeated transaction', () => {
  test('gets the recorded answer and writes nothing', async () => {
    const request = world.transaction({ op: 'PUT', id: randomUUID(), data: { title: 'once' } })
    const first = await world.upload(request)
    await world.database.pool.execute(sql`delete from public.tasks`)
    expect(await world.upload(request)).toEqual({ ...first, repeated: true })
    expect(await world.tasks()).toEqual([])
    const refused = world.transaction({ op: 'PUT', id: randomUUID(), data: { title: 'forbidden' } })
    expect(await world.upload(refused)).toEqual({ ...(await world.upload(refused)), repeated: false })
  })

  test('at the same moment waits and answers the same', async () => {
    const request = world.transaction({ op: 'PUT', id: randomUUID(), data: { title: 'once' } })
    const answers = await Promise.all(Array.from({ length: 6 }, () => world.upload(request)))
    expect(answers.filter((answer) => !answer.repeated)).toHaveLength(1)
    expect(new Set(answers.map((answer) => JSON.stringify(answer.verdicts))).size).toBe(1)
    expect(await world.tasks()).toHaveLength(1)
  })

  test('of another person or device is another transaction', async () => {
    const request = world.transaction({ op: 'PUT', id: randomUUID(), data: { title: 'mine' } })
    await world.upload(request)
    const other = await world.upload({ ...request, client_id: randomUUID() })
    expect(other).toMatchObject({ repeated: false, status: 'applied' })
    expect(await world.upload(request, caller(BOB))).toMatchObject({ repeated: false, status: 'refused' })
  })

  test('after the connection died before the commit is applied once', async () => {
    const id = await world.seedTask()
    const request = world.transaction({ op: 'PATCH', id, data: { points: 7 } })
    const killed = await world.database.pool.transaction(async (tx) => {
      await tx.execute(sql`update public.tasks set points = 1 where id = ${id}`) // holds the row, so that the upload waits inside its transaction
      const answer = world.post(request)
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
    expect(await world.upload(request)).toMatchObject({ repeated: false, status: 'applied' })
    expect(await world.tasks()).toMatchObject([{ points: 7 }])
  })

  test('while Postgres gives up on a lock is no verdict', async () => {
    const id = await world.seedTask()
    const request = world.transaction({ op: 'PATCH', id, data: { points: 7 } })
    const url = new URL(world.database.requestUrl)
    url.searchParams.set('options', '-c lock_timeout=50ms')
    await using impatient = createPool({ url: url.href, applicationName: 'impatient', connectionsMax: 1 })
    const sender = { caller: caller(ALICE), signal: new AbortController().signal }
    await world.database.pool.transaction(async (tx) => {
      await tx.execute(sql`update public.tasks set points = 1 where id = ${id}`)
      await expect(
        judgeUpload({ ...world.context, share: { for: () => impatient } }, sender, request),
      ).rejects.toMatchObject({ status: 503 })
    })
    expect(await world.upload(request)).toMatchObject({ repeated: false, status: 'applied' })
  })

  test('may not be recorded by a person', async () => {
    const attempt = world.pool.transaction(async (tx) => {
      await tx.execute(sql`set local role authenticated`)
      await tx.query(sql`select sync.claim_upload('x', ${CLIENT}, 1, '\\x00')`)
    })
    await expect(attempt).rejects.toMatchObject({ code: '42501' })
  })
})

describe('a batch', () => {
  const task = (title: string): Operation => ({ op: 'PUT', id: randomUUID(), data: { title } })
  const batchOf = (...uploads: readonly UploadRequest[]): object => ({
    client_id: CLIENT,
    transactions: uploads.map(({ position, operations }) => ({ position, operations })),
  })

  test('is judged transaction by transaction, as if each had come by itself', async () => {
    const [a, b] = [world.transaction(task('a')), world.transaction(task('b'), task('c'))]
    await world.upload(a)
    const { status, body } = await world.post(batchOf(a, b))
    expect([status, body]).toMatchObject([
      200,
      {
        results: [
          { status: 'applied', repeated: true },
          { status: 'applied', repeated: false },
        ],
      },
    ])
    expect((await world.tasks()).map(({ title }) => title)).toEqual(['a', 'b', 'c'])
  })

  test('ends with the first that is refused: what follows may depend on it', async () => {
    const { body } = await world.post(
      batchOf(...['a', 'forbidden', 'b'].map((title) => world.transaction(task(title)))),
    )
    expect(body).toMatchObject({ results: [{ status: 'applied' }, { status: 'refused' }] })
    expect((await world.tasks()).map(({ title }) => title)).toEqual(['a'])
  })

  test('ends before a transaction that cannot be judged, and says why when that is the first', async () => {
    const [a, b] = [world.transaction(task('a')), world.transaction(task('b'))]
    await world.upload(b)
    const changed = { ...b, operations: b.operations.map((operation) => ({ ...operation, data: { title: 'other' } })) }
    expect((await world.post(batchOf(a, changed))).body).toMatchObject({ results: [{ status: 'applied' }] })
    expect(await world.post(batchOf(changed))).toMatchObject({ status: 409 })
  })

  test('that lost its connection in the middle is applied once when it is sent again', async () => {
    const held = await world.seedTask()
    const uploads = ['a', 'b', 'c'].map((title) => world.transaction(task(title)))
    uploads.push(world.transaction({ op: 'PATCH', id: held, data: { points: 7 } }), world.transaction(task('d')))
    const answer = await world.database.pool.transaction(async (tx) => {
      await tx.execute(sql`update public.tasks set points = 1 where id = ${held}`)
      const sent = world.post(batchOf(...uploads))
      await expect
        .poll(
          async () =>
            (
              await tx.query(
                sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'uploads' and datname = current_database() and wait_event_type = 'Lock'`,
              )
            ).length,
        )
        .toBe(1)
      return sent
    })
    // The third was committed in the write that broke, so its answer was lost.
    expect(answer.body['results']).toHaveLength(2)
    const { body } = await world.post(batchOf(...uploads))
    expect((body as { results: UploadResponse[] }).results.map(({ status, repeated }) => [status, repeated])).toEqual([
      ...Array.from({ length: 3 }, () => ['applied', true]),
      ...Array.from({ length: 2 }, () => ['applied', false]),
    ])
    expect((await world.tasks()).map(({ title, points }) => [title, points])).toEqual(
      expect.arrayContaining([
        ['a', null],
        ['b', null],
        ['c', null],
        ['d', null],
        [expect.any(String), 7],
      ]),
    )
    expect(await world.tasks()).toHaveLength(5)
  })

  test.each([
    ['nothing in it', () => []],
    ['positions that do not ascend', () => [world.transaction(task('a')), world.transaction(task('b'))].toReversed()],
    ['a transaction without operations', () => [{ client_id: CLIENT, position: 5, operations: [] }]],
    ['more than 500 transactions', () => Array.from({ length: 501 }, () => world.transaction(task('x')))],
  ])('with %s is no upload', async (_title, uploads) => {
    expect(await world.post(batchOf(...uploads()))).toMatchObject({
      status: 400,
      body: { error: { code: 'PSYNC_S2001' } },
    })
    expect(await world.tasks()).toEqual([])
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
        world.transaction(
          ...operations.map((entry) => (entry.op === 'DELETE' ? { op: entry.op, id: entry.id } : entry)),
        ),
      )
      const state = async (): Promise<unknown> =>
        world.database.pool.query(sql`select id, title, points from public.tasks order by id`)
      await world.database.pool.execute(sql`truncate sync.uploads, public.tasks`)
      for (const request of requests) await world.upload(request)
      const once = await state()
      await world.database.pool.execute(sql`truncate sync.uploads, public.tasks`)
      for (const [index, request] of requests.entries()) {
        const sent = await Promise.all(Array.from({ length: steps[index]?.[1] ?? 1 }, () => world.upload(request)))
        const earlier = requests[index - 1]
        if (earlier) expect((await world.upload(earlier)).repeated).toBe(true)
        expect(new Set(sent.map((answer) => answer.status)).size).toBe(1)
      }
      expect(await state()).toEqual(once)
    }),
    { numRuns: runsOf(25) },
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
      const answer = await world.post(garbage)
      expect([200, 400, 409]).toContain(answer.status)
    }),
    { numRuns: runsOf(150) },
  )
})

test('a batch goes on with the tables as they are when they change under it', async () => {
  const task = (data: Record<string, string>): UploadRequest =>
    world.transaction({ op: 'PUT', id: randomUUID(), data: { title: 'x', ...data } })
  await world.database.pool.withClient((client) =>
    client.query(`create or replace function public.grow() returns trigger language plpgsql security definer as $$
      begin alter table public.tasks add column if not exists grown text[]; return null; end $$;
      create trigger grow after insert on public.sites for each statement execute function public.grow()`),
  )
  const before = task({})
  const site = world.transaction({ op: 'PUT', type: 'sites', id: randomUUID(), data: { name: 'works' } })
  const transactions = [before, site, task({ grown: '["1"]' })].map(({ position, operations }) => ({
    position,
    operations,
  }))
  const { body } = await world.post({ client_id: CLIENT, transactions })
  expect(body).toMatchObject({ results: [{ status: 'applied' }, { status: 'applied' }, { status: 'applied' }] })
  expect(await world.database.pool.query(sql`select grown from public.tasks where grown is not null`)).toEqual([
    { grown: ['1'] },
  ])
  await world.database.pool.withClient((client) =>
    client.query(`drop trigger grow on public.sites; alter table public.tasks drop column grown`),
  )
})

test('verdicts that no device can ask for any more are deleted, the oldest first', async () => {
  const task = (): UploadRequest => world.transaction({ op: 'PUT', id: randomUUID(), data: { title: 'x' } })
  const old = Array.from({ length: 25 }, task)
  for (const upload of old) await world.upload(upload)
  await world.database.pool.execute(sql`update sync.uploads set judged_at = now() - interval '31 days'`)
  const kept = async (): Promise<number> =>
    (await world.database.pool.query(sql`select 1 as kept from sync.uploads`)).length
  const [first] = old
  if (first) expect(await world.upload(first)).toMatchObject({ repeated: true })
  await world.upload(task())
  expect(await kept()).toBe(6)
  await world.upload(task())
  await world.upload(task())
  expect(await kept()).toBe(3)
})

// Regression: each transaction read all earlier ones of its device, so that an import of 5,000 records took minutes.
test('a transaction is claimed without reading what its device sent before', async () => {
  const earlier = 400
  await world.database.pool.execute(sql`
    insert into sync.uploads (user_id, client_id, position, body_hash, status, verdicts)
    select ${ALICE}, ${CLIENT}::uuid, n, '\\x00', 'applied', '[]' from generate_series(1, ${earlier}::integer) n`)
  const claims = 20
  const rowsRead = await world.database.pool.transaction(async (tx) => {
    for (let claim = 1; claim <= claims; claim++)
      await tx.query(sql`select * from sync.claim_upload(${ALICE}, ${CLIENT}, ${earlier + claim}, '\\x00')`)
    const [row] = await tx.query<{ read: number }>(sql`
      select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_all_tables where relid = 'sync.uploads'::regclass`)
    return row?.read
  })
  expect(rowsRead).toBeGreaterThan(0)
  expect(rowsRead).toBeLessThan(claims * 30)
})
