import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRestWorld, type HttpRequest, type RestWorld } from './rest-world.ts'

// Writes over plain HTTP, and the rows that a refusal leaves unchanged. Refusals first.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
})

beforeEach(() => world.reset())

afterAll(() => world?.[Symbol.asyncDispose]())

const COUNT = 'select (select count(*)::int from cities) as cities, (select count(*)::int from countries) as countries'

const FULL = { prefer: 'return=representation' }

async function write(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return world.http(path, { method, headers, ...(body !== undefined && { body }) })
}

describe('writing', () => {
  test.each([
    ['malformed JSON', '/cities', { method: 'POST', body: '{' }, 400, 'PGRST102', 'Empty or invalid json'],
    ['an empty body', '/cities', { method: 'POST', body: '' }, 400, 'PGRST102', 'Empty or invalid json'],
    [
      'rows with different keys',
      '/cities',
      { method: 'POST', body: [{ name: 'a' }, { note: 'b' }] },
      400,
      'PGRST102',
      'All object keys must match',
    ],
    [
      'an unsupported content type',
      '/cities',
      { method: 'POST', body: 'x', headers: { 'content-type': 'text/html' } },
      400,
      'PGRST102',
      'Content-Type not acceptable: text/html',
    ],
    [
      'CSV rows of different lengths',
      '/cities',
      { method: 'POST', body: 'name,note\na', headers: { 'content-type': 'text/csv' } },
      400,
      'PGRST102',
      'All lines must have same number of fields',
    ],
    [
      'an unknown column',
      '/cities',
      { method: 'POST', body: { nope: 1 } },
      400,
      'PGRST204',
      "Could not find the 'nope' column of 'cities' in the schema cache",
    ],
    [
      'an unknown column in columns=',
      '/cities?columns=nope',
      { method: 'POST', body: { name: 'x' } },
      400,
      'PGRST204',
      "Could not find the 'nope' column of 'cities' in the schema cache",
    ],
    [
      'a duplicate',
      '/countries',
      { method: 'POST', body: { id: 1, name: 'x' } },
      409,
      '23505',
      'duplicate key value violates unique constraint "countries_pkey"',
    ],
    [
      'an update without a filter',
      '/cities',
      { method: 'PATCH', body: { note: 'x' } },
      400,
      '21000',
      'UPDATE requires a WHERE clause',
    ],
    ['a delete without a filter', '/cities', { method: 'DELETE' }, 400, '21000', 'DELETE requires a WHERE clause'],
    [
      'PUT with filters other than the key',
      '/countries?name=eq.Peru',
      { method: 'PUT', body: { id: 1, name: 'x' } },
      405,
      'PGRST105',
      "Filters must include all and only primary key columns with 'eq' operators",
    ],
    [
      'PUT with a limit',
      '/countries?id=eq.1&limit=1',
      { method: 'PUT', body: { id: 1, name: 'x' } },
      400,
      'PGRST114',
      'limit/offset querystring parameters are not allowed for PUT',
    ],
    [
      "PUT of a row other than the URL's",
      '/countries?id=eq.1',
      { method: 'PUT', body: { id: 2, name: 'x' } },
      400,
      'PGRST115',
      'Payload values do not match URL in primary key column(s)',
    ],
    [
      'a view that is read-only',
      '/city_counts?country_id=eq.1',
      { method: 'PATCH', body: { n: 1 } },
      500,
      '55000',
      undefined,
    ],
    [
      'an unknown preference with handling=strict',
      '/cities',
      { method: 'POST', body: { name: 'x' }, headers: { prefer: 'handling=strict, soup=hot' } },
      400,
      'PGRST122',
      'Invalid preferences given with handling=strict',
    ],
    [
      'more rows than max-affected',
      '/cities?id=gt.0',
      { method: 'DELETE', headers: { prefer: 'handling=strict, max-affected=1' } },
      400,
      'PGRST124',
      'Query result exceeds max-affected preference constraint',
    ],
    [
      'several rows for a single object',
      '/cities?id=gt.2',
      { method: 'DELETE', headers: { ...FULL, accept: 'application/vnd.pgrst.object+json' } },
      406,
      'PGRST116',
      'Cannot coerce the result to a single JSON object',
    ],
  ] satisfies [string, string, HttpRequest, number, string, string | undefined][])(
    '%s is refused and changes nothing',
    async (title, path, request, status, code, message) => {
      const before = await world.run(COUNT)
      const answer = await world.http(path, request)
      expect(answer.body, title).toMatchObject({ code, ...(message !== undefined && { message }) })
      expect(answer.status).toBe(status)
      expect(await world.run(COUNT)).toEqual(before)
    },
  )

  test('inserts one row, many rows, CSV or a form', async () => {
    const one = await write('POST', '/countries', { id: 10, name: 'Fiji' })
    expect([one.status, one.text, one.headers.get('content-range')]).toEqual([201, '', '*/*'])
    const many = await write(
      'POST',
      '/countries',
      [
        { id: 11, name: 'A' },
        { id: 12, name: 'B' },
      ],
      FULL,
    )
    expect(many.body).toEqual([
      { id: 11, name: 'A' },
      { id: 12, name: 'B' },
    ])
    const csv = await write('POST', '/cities', 'name,population,note\n"Bodø, N",NULL,x\nVadsø,5,y', {
      ...FULL,
      'content-type': 'text/csv',
    })
    expect(csv.body).toMatchObject([
      { name: 'Bodø, N', population: null, note: 'x' },
      { name: 'Vadsø', population: 5, note: 'y' },
    ])
    const form = await write('POST', '/cities', 'name=Alta&population=7', {
      ...FULL,
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(form.body).toMatchObject([{ name: 'Alta', population: 7 }])
  })

  test('missing values are null, or the default with missing=default', async () => {
    const rows = [
      { name: 'a', note: 'own' },
      { name: 'b', note: null },
    ]
    expect((await write('POST', '/cities?columns=name,note', [{ name: 'a' }], FULL)).body).toMatchObject([
      { note: null },
    ])
    const filled = await write('POST', '/cities?columns=name,note', [{ name: 'a' }], {
      prefer: 'return=representation, missing=default',
    })
    expect(filled.body).toMatchObject([{ note: 'none' }])
    expect(filled.headers.get('preference-applied')).toBe('missing=default, return=representation')
    expect((await write('POST', '/cities', rows, FULL)).body).toMatchObject(rows)
  })

  test('columns= ignores other fields of the body', async () => {
    const { body } = await write('POST', '/cities?columns=name', { name: 'a', note: 'ignored', nope: 1 }, FULL)
    expect(body).toMatchObject([{ name: 'a', note: 'none' }])
  })

  test("return=headers-only returns the row's location", async () => {
    const { status, headers, text } = await write(
      'POST',
      '/countries',
      { id: 40, name: 'Togo' },
      { prefer: 'return=headers-only' },
    )
    expect([status, text, headers.get('location')]).toEqual([201, '', '/countries?id=eq.40'])
    const both = await write(
      'POST',
      '/country_languages',
      { country_id: 3, language_id: 1 },
      { prefer: 'return=headers-only' },
    )
    expect(both.headers.get('location')).toBe('/country_languages?country_id=eq.3&language_id=eq.1')
  })

  test('an upsert merges or ignores duplicates, by the key or other columns', async () => {
    const merge = await write(
      'POST',
      '/countries',
      [
        { id: 1, name: 'Norge' },
        { id: 50, name: 'Oman' },
      ],
      { prefer: 'resolution=merge-duplicates, return=representation' },
    )
    expect([merge.status, merge.body, merge.headers.get('preference-applied')]).toEqual([
      201,
      [
        { id: 1, name: 'Norge' },
        { id: 50, name: 'Oman' },
      ],
      'resolution=merge-duplicates, return=representation',
    ])
    const again = await write('POST', '/countries', { id: 1, name: 'Noreg' }, { prefer: 'resolution=merge-duplicates' })
    expect(again.status).toBe(200)
    const ignore = await write(
      'POST',
      '/countries?on_conflict=name',
      { id: 60, name: 'Peru' },
      { prefer: 'resolution=ignore-duplicates, return=representation' },
    )
    expect([ignore.status, ignore.body]).toEqual([201, []])
  })

  test('PUT writes the row that its URL names', async () => {
    expect((await write('PUT', '/countries?id=eq.70', { id: 70, name: 'Laos' })).status).toBe(204)
    const changed = await write('PUT', '/countries?id=eq.70', { id: 70, name: 'Lao' }, FULL)
    expect([changed.status, changed.body]).toEqual([200, [{ id: 70, name: 'Lao' }]])
    const made = await write('PUT', '/countries?id=eq.71', { id: 71, name: 'Iran' }, FULL)
    expect([made.status, made.body]).toEqual([201, [{ id: 71, name: 'Iran' }]])
  })

  test('PATCH changes the matching rows', async () => {
    const none = await write('PATCH', '/cities?id=eq.99', { note: 'x' })
    expect([none.status, none.headers.get('content-range')]).toEqual([204, '*/*'])
    const some = await write(
      'PATCH',
      '/cities?country_id=eq.1',
      { note: 'x' },
      { prefer: 'return=representation, count=exact' },
    )
    expect([some.status, some.headers.get('content-range')]).toEqual([200, '0-1/2'])
    expect(some.body).toMatchObject([{ note: 'x' }, { note: 'x' }])
    const nothing = await write('PATCH', '/cities?id=eq.1', {}, FULL)
    expect([nothing.status, nothing.body]).toEqual([200, []])
  })

  test('DELETE deletes the matching rows', async () => {
    const { status, headers, body } = await write('DELETE', '/cities?id=in.(2,4)&select=name', undefined, {
      prefer: 'return=representation, count=exact',
    })
    expect([status, headers.get('content-range'), body]).toEqual([200, '*/2', [{ name: 'Bergen' }, { name: 'Cusco' }]])
    expect((await write('DELETE', '/cities?id=eq.1')).status).toBe(204)
  })

  test('a view can be written', async () => {
    expect((await write('PATCH', '/big_cities?id=eq.1', { name: 'Kristiania' }, FULL)).body).toMatchObject([
      { name: 'Kristiania' },
    ])
    expect(await world.run('select name from cities where id = 1')).toEqual([{ name: 'Kristiania' }])
  })

  test('tx=rollback rolls back', async () => {
    const { status, headers } = await write('POST', '/countries', { id: 80, name: 'Mali' }, { prefer: 'tx=rollback' })
    expect([status, headers.get('preference-applied')]).toEqual([201, 'tx=rollback'])
    expect(await world.run('select * from countries where id = 80')).toEqual([])
  })

  test('writes all rows of a request or none', async () => {
    expect(
      (
        await write('POST', '/countries', [
          { id: 90, name: 'A' },
          { id: 1, name: 'B' },
        ])
      ).status,
    ).toBe(409)
    expect(await world.run('select * from countries where id = 90')).toEqual([])
  })
})
