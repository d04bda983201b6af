import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { ALICE, BOB, caller, CLIENT, openUploadWorld, type Operation, type UploadWorld } from './upload-world.ts'

/*
 * Pins that one local transaction becomes one Postgres transaction under row-level security, whole or not at all, and every refusal comes
 * back with its reason.
 */

let world: UploadWorld

beforeAll(async () => {
  world = await openUploadWorld()
})

afterAll(async () => world?.[Symbol.asyncDispose]())

beforeEach(() => world.empty())

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
    const answer = await world.post(body)
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ error: { code, status } })
  })

  test('without a user', async () => {
    const answer = await world.post(
      world.transaction({ op: 'PUT', id: randomUUID(), data: { title: 'x' } }),
      caller(undefined, 'anon'),
    )
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'PSYNC_S2106' } } })
  })

  test('with a role that does not exist', async () => {
    const answer = await world.post(
      world.transaction({ op: 'PUT', id: randomUUID(), data: { title: 'x' } }),
      caller(ALICE, 'emperor'),
    )
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'PSYNC_S2101' } } })
  })

  test('when the key was used for other operations', async () => {
    const first = world.transaction({ op: 'PUT', id: randomUUID(), data: { title: 'first' } })
    await world.upload(first)
    const answer = await world.post({ ...first, operations: [{ ...first.operations[0], data: { title: 'other' } }] })
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'HF_UPLOAD_KEY_REUSED' } } })
    expect(await world.tasks()).toMatchObject([{ title: 'first' }])
  })
})

describe('a transaction is refused', () => {
  test('by a restrictive policy, which is named', async () => {
    const site = randomUUID()
    await world.database.pool.execute(sql`insert into public.sites values (${site}, 'old works', true)`)
    const request = world.transaction({ op: 'PUT', id: randomUUID(), data: { title: 'x', site_id: site } })
    expect(await world.upload(request)).toEqual({
      status: 'refused',
      repeated: false,
      verdicts: [
        {
          op_id: request.position,
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
    const put = await world.upload(
      world.transaction({ op: 'PUT', id: randomUUID(), data: { title: 'x', owner_id: BOB } }),
    )
    expect(put.verdicts[0]).toMatchObject({ sqlstate: '42501', policies: ['own tasks'] })
    const id = await world.seedTask()
    const patch = await world.upload(world.transaction({ op: 'PATCH', id, data: { owner_id: BOB } }))
    expect(patch.verdicts[0]).toMatchObject({ sqlstate: '42501', policies: ['own tasks', 'done is shown'] })
  })

  test('whole: what the first operation wrote is gone, and only the failing one has a reason', async () => {
    const request = world.transaction(
      { op: 'PUT', id: randomUUID(), data: { title: 'fine' } },
      { op: 'PUT', id: randomUUID(), data: { title: 'forbidden' } },
      { op: 'PUT', id: randomUUID(), data: { title: 'never tried' } },
    )
    const answer = await world.upload(request)
    expect(answer.status).toBe('refused')
    expect(answer.verdicts.map((verdict) => verdict.status)).toEqual(['not_reached', 'error', 'not_reached'])
    expect(answer.verdicts[1]).toMatchObject({
      sqlstate: '23514',
      constraint: 'tasks_title_check',
      columns: ['title'],
      rule: 'No forbidden words.',
    })
    expect(await world.tasks()).toEqual([])
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
      'binary data in no form',
      { op: 'PUT', id: ALICE, data: { title: 'x', photo: String.raw`\xyz` } },
      { sqlstate: '22023' },
    ],
    ['an edit of a generated column', { op: 'PATCH', id: ALICE, data: { shout: 'X' } }, { sqlstate: '428C9' }],
    [
      'a link to nothing, found at the end',
      { op: 'PUT', id: ALICE, data: { title: 'x', site_id: BOB } },
      { sqlstate: '23503', constraint: 'tasks_site_id_fkey' },
    ],
    ['a command that was not granted', { op: 'DELETE', type: 'feedback', id: ALICE }, { sqlstate: '42501' }],
  ])('for %s', async (_title, operation, verdict) => {
    const answer = await world.upload(world.transaction(operation))
    expect(answer.status).toBe('refused')
    expect(answer.verdicts[0]).toMatchObject({ status: 'error', ...verdict })
    expect(await world.tasks()).toEqual([])
  })

  test('for a value that another record has', async () => {
    await world.seedTask({ code: 'A1' })
    const answer = await world.upload(
      world.transaction({ op: 'PUT', id: randomUUID(), data: { title: 'x', code: 'A1' } }),
    )
    expect(answer.verdicts[0]).toMatchObject({ sqlstate: '23505', constraint: 'tasks_code_key', columns: ['code'] })
  })

  test.each(['PATCH', 'DELETE'] as const)(
    'when %s touches no row: gone, hidden, or shown but not to be changed',
    async (op) => {
      const hidden = await world.seedTask({ owner: BOB })
      const shown = await world.seedTask({ owner: BOB, state: 'done' })
      for (const id of [randomUUID(), hidden, shown]) {
        const answer = await world.upload(
          world.transaction({ op, id, ...(op === 'PATCH' ? { data: { title: 'mine' } } : {}) }),
        )
        expect(answer).toMatchObject({ status: 'refused', verdicts: [{ status: 'no_row' }] })
      }
      expect(await world.tasks()).toHaveLength(2)
    },
  )

  test('as a conflict with the current values when a guarded column was changed by another user', async () => {
    const id = await world.seedTask({ state: 'done' })
    const answer = await world.upload(
      world.transaction({ op: 'PATCH', id, data: { state: 'doing', points: 3 }, old: { state: 'open' } }),
    )
    expect(answer).toMatchObject({ status: 'refused', verdicts: [{ status: 'conflict', current: { state: 'done' } }] })
    const agreed = await world.upload(
      world.transaction({ op: 'PATCH', id, data: { state: 'doing' }, old: { state: 'done', urgent: null } }),
    )
    expect(agreed.status).toBe('applied')
  })

  test('but not for a guard of a value that the device could not know yet: a default', async () => {
    const id = randomUUID()
    const request = world.transaction(
      { op: 'PUT', id, data: { title: 'made offline' } },
      { op: 'PATCH', id, data: { state: 'doing' }, old: { state: null } },
      { op: 'DELETE', id, old: { state: 'doing' } },
    )
    expect((await world.upload(request)).status).toBe('applied')
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
    expect(await world.upload(world.transaction({ op: 'PUT', id, data }))).toMatchObject({ status: 'applied' })
    expect(await world.tasks()).toEqual([
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
    expect(await world.upload(world.transaction({ op: 'PATCH', id, data: { urgent: 0 }, old }))).toMatchObject({
      status: 'applied',
    })
  })

  test('as a whole row on PUT, as the changed columns on PATCH, and gone after DELETE', async () => {
    const id = randomUUID()
    await world.upload(world.transaction({ op: 'PUT', id, data: { title: 'a', points: 1 } }))
    await world.upload(world.transaction({ op: 'PUT', id, data: { title: 'b' } }))
    expect(await world.tasks()).toMatchObject([{ title: 'b', points: 1 }])
    await world.upload(world.transaction({ op: 'PATCH', id, data: { points: null } }, { op: 'PATCH', id, data: {} }))
    expect(await world.tasks()).toMatchObject([{ title: 'b', points: null }])
    expect(await world.upload(world.transaction({ op: 'DELETE', id }))).toMatchObject({ status: 'applied' })
    expect(await world.tasks()).toEqual([])
  })

  test('with links that are right only at the end', async () => {
    const site = randomUUID()
    const request = world.transaction(
      { op: 'PUT', id: randomUUID(), data: { title: 'x', site_id: site } },
      { op: 'PUT', type: 'sites', id: site, data: { name: 'works' } },
    )
    expect(await world.upload(request)).toMatchObject({ status: 'applied' })
  })

  test('when the person may write a row but neither read nor change it', async () => {
    const request = world.transaction({ op: 'PUT', type: 'feedback', id: randomUUID(), data: { body: 'hello' } })
    expect(await world.upload(request)).toMatchObject({ status: 'applied' })
    expect(await world.database.pool.query(sql`select body from public.feedback`)).toEqual([{ body: 'hello' }])
  })
})
