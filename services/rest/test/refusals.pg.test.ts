import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BOB, openRestWorld, type Ask, type RestWorld } from './rest-world.ts'

// Invariant: whatever is wrong, the answer is in PostgREST's form, with its code, and nothing has changed.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
})

afterAll(() => world?.[Symbol.asyncDispose]())

describe('refusals', () => {
  test.each([
    [
      'an unknown table, with the nearest name',
      '/project',
      {},
      404,
      'PGRST205',
      "Perhaps you meant the table 'public.projects'",
    ],
    ['an unknown function', '/rpc/nothing_like_it', {}, 404, 'PGRST202', null],
    [
      'an unknown function, with the nearest name',
      '/rpc/all_client',
      {},
      404,
      'PGRST202',
      'Perhaps you meant to call the function public.all_clients',
    ],
    [
      'arguments that no function has',
      '/rpc/add?a=1&c=2',
      {},
      404,
      'PGRST202',
      'Perhaps you meant to call the function public.add(a, b)',
    ],
    ['an unknown column', '/tasks?select=nope', {}, 400, '42703', null],
    ['an unknown filter column', '/tasks?nope=eq.1', {}, 400, '42703', null],
    ['a filter without an operator', '/tasks?id=1', {}, 400, 'PGRST100', null],
    ['a value of the wrong type', '/tasks?id=eq.x', {}, 400, '22P02', null],
    [
      'an embed without a relationship',
      '/tasks?select=*,clients(*)',
      {},
      400,
      'PGRST200',
      "Perhaps you meant 'projects' instead of 'clients'.",
    ],
    [
      'a filter on an embed that is not selected',
      '/tasks?projects.id=eq.1',
      {},
      400,
      'PGRST108',
      "Verify that 'projects' is included in the 'select' query parameter.",
    ],
    ['an aggregate', '/tasks?select=id.sum()', {}, 400, 'PGRST123', null],
    [
      'a schema that is not exposed',
      '/tasks',
      { headers: { 'accept-profile': 'auth' } },
      406,
      'PGRST106',
      'Only the following schemas are exposed: public, holdfast',
    ],
    ['an unknown media type', '/tasks', { headers: { accept: 'text/html' } }, 406, 'PGRST107', null],
    [
      'several rows as one object',
      '/tasks',
      { headers: { accept: 'application/vnd.pgrst.object+json' } },
      406,
      'PGRST116',
      null,
    ],
    [
      'no row as one object',
      '/tasks?id=eq.-1',
      { headers: { accept: 'application/vnd.pgrst.object+json' } },
      406,
      'PGRST116',
      null,
    ],
    ['an offset behind the end', '/tasks?offset=99', { headers: { prefer: 'count=exact' } }, 416, 'PGRST103', null],
    ['a path that is too deep', '/a/b/c', {}, 404, 'PGRST125', null],
    ['a body that is no JSON', '/tasks', { method: 'POST', raw: '{' }, 400, 'PGRST102', null],
    [
      'a content type that is none',
      '/tasks',
      { method: 'POST', raw: '{}', headers: { 'content-type': ';' } },
      400,
      'PGRST102',
      null,
    ],
    [
      'rows with different keys',
      '/tasks',
      { method: 'POST', body: [{ title: 'a' }, { rank: 1 }] },
      400,
      'PGRST102',
      null,
    ],
    ['an unknown payload column', '/tasks', { method: 'POST', body: { nope: 1 } }, 400, 'PGRST204', null],
    ['a missing value', '/tasks', { method: 'POST', body: { rank: 1 } }, 400, '23502', null],
    ['a duplicate key', '/clients', { method: 'POST', body: { id: 1, name: 'x' } }, 409, '23505', null],
    ['a reference to nothing', '/tasks', { method: 'POST', body: { title: 'x', project_id: 77 } }, 409, '23503', null],
    [
      'a reference to nothing that is checked at the commit',
      '/late',
      { method: 'POST', body: { id: 1, client_id: 77 } },
      409,
      '23503',
      null,
    ],
    ['a broken check', '/transfers', { method: 'POST', body: { id: -1 } }, 400, '23514', null],
    ['an update of everything', '/tasks', { method: 'PATCH', body: { rank: 1 } }, 400, '21000', null],
    ['a delete of everything', '/tasks', { method: 'DELETE' }, 400, '21000', null],
    [
      'a body that is too large',
      '/tasks',
      { method: 'POST', body: { title: 'x'.repeat(200_000) } },
      413,
      'PGRST102',
      null,
    ],
    ['a volatile function with GET', '/rpc/put_client?new_id=50', {}, 405, '25006', null],
    ['DELETE on a function', '/rpc/add', { method: 'DELETE' }, 405, 'PGRST101', null],
    [
      'an unknown preference, strictly',
      '/tasks',
      { headers: { prefer: 'handling=strict, soup=hot' } },
      400,
      'PGRST122',
      null,
    ],
    ['a statement that takes too long', '/rpc/slow', { method: 'POST' }, 500, '57014', null],
    ['a table without privilege, signed in', '/secrets', { as: 'alice' }, 403, '42501', null],
    ['a table without privilege, not signed in', '/secrets', { as: 'anon' }, 401, '42501', null],
    [
      'a row that no policy allows',
      '/projects',
      { method: 'POST', as: 'alice', body: { id: 9, name: 'x', owner: BOB } },
      403,
      '42501',
      null,
    ],
  ] satisfies [string, string, Ask, number, string, string | null][])(
    '%s',
    async (_title, path, input, status, code, hint) => {
      const answer = await world.ask(path, input)
      expect(answer).toMatchObject({ status, body: { code, hint } })
      expect(Object.keys(answer.body as object).toSorted()).toEqual(['code', 'details', 'hint', 'message'])
      expect(answer.text).not.toMatch(/at .*\.ts:|node_modules/)
    },
  )

  test('an ambiguous embed lists the relationships', async () => {
    const { status, body } = await world.ask('/transfers?select=*,clients(*)')
    expect(status).toBe(300)
    expect(body).toMatchObject({
      code: 'PGRST201',
      message: "Could not embed because more than one relationship was found for 'transfers' and 'clients'",
      hint: "Try changing 'clients' to one of the following: 'clients!transfers_from_id_fkey', 'clients!transfers_to_id_fkey'. Find the desired relationship in the 'details' key.",
      details: [
        {
          cardinality: 'many-to-one',
          embedding: 'transfers with clients',
          relationship: 'transfers_from_id_fkey using transfers(from_id) and clients(id)',
        },
        { cardinality: 'many-to-one' },
      ],
    })
  })

  test.each([
    ['P0001', 400],
    ['PT404', 404],
    ['PT999', 500],
    ['22012', 400],
    ['53100', 503],
    ['XX000', 500],
    ['42883', 404],
  ])('an error %s that a function raises is %i with everything that Postgres says', async (code, status) => {
    expect(await world.ask('/rpc/fail', { method: 'POST', body: { state: code, said: 'no' } })).toMatchObject({
      status,
      body: { code, message: 'no', details: 'why', hint: 'how' },
    })
  })

  test('a connection that Postgres ends is a 503 for the request on it, and for no other', async () => {
    const waiting = world.ask('/rpc/slow', { method: 'POST', as: 'alice' })
    const end = `select pg_terminate_backend(pid) as ended from pg_stat_activity
                  where datname = current_database() and application_name = 'test request' and state = 'active'`
    await expect.poll(() => world.rows(end)).toEqual([{ ended: true }])
    expect(await waiting).toMatchObject({ status: 503, body: { code: '57P01' } })
    for (let round = 0; round < 5; round++) expect((await world.ask('/clients?id=eq.1')).status).toBe(200)
  })

  test('a function may control the whole refusal', async () => {
    expect(await world.ask('/rpc/raise_teapot', { method: 'POST' })).toMatchObject({
      status: 418,
      headers: { 'x-pot': 'yes' },
      body: { code: 'tea', message: 'short and stout', details: null, hint: null },
    })
  })
})
