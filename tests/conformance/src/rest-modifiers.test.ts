import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// The unmodified client is the judge: each test uses supabase-js as documented and checks what it returns.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld(['--rest-plan-enabled=true'])
})

beforeEach(() => world.reset())

afterAll(() => world?.[Symbol.asyncDispose]())

const cities = () => world.service.from('cities')

describe('modifier.select', () => {
  test('is refused for an unknown column, and rolls back', async () => {
    const { error } = await world.service.from('languages').insert({ id: 9, name: 'Aymara' }).select('nope')
    expect(error).toMatchObject({ code: '42703' })
    expect((await world.service.from('languages').select().eq('id', 9)).data).toEqual([])
  })
  test('returns the written rows, with embeds', async () => {
    const { data } = await cities().update({ note: 'seen' }).eq('id', 1).select('note, countries(name)')
    expect(data).toEqual([{ note: 'seen', countries: { name: 'Norway' } }])
  })
  test("selects columns of a function's result", async () => {
    const { data } = await world.service.rpc('cities_of', { country: 'Peru' }).select('name').order('name')
    expect(data).toEqual([{ name: 'Cusco' }, { name: 'Lima' }])
  })
})

describe('modifier.order', () => {
  test('is refused for a to-many relationship', async () => {
    const { error } = await world.service.from('countries').select('name, cities(name)').order('cities(name)')
    expect(error).toMatchObject({
      code: 'PGRST118',
      message: "A related order on 'cities' is not possible",
      details: "'countries' and 'cities' do not form a many-to-one or one-to-one relationship",
    })
  })
  test('puts nulls first or last', async () => {
    const first = await cities().select('id').order('population', { nullsFirst: true })
    expect(first.data?.map(({ id }) => id as number)).toEqual([4, 2, 1, 3])
    const last = await cities().select('id').order('population', { ascending: false, nullsFirst: false })
    expect(last.data?.map(({ id }) => id as number)).toEqual([3, 1, 2, 4])
  })
  test('accepts several columns', async () => {
    const { data } = await cities().select('id').order('country_id', { ascending: false }).order('name')
    expect(data?.map(({ id }) => id as number)).toEqual([4, 3, 2, 1])
  })
  test('orders by a related column, and inside an embed', async () => {
    const byCountry = await cities()
      .select('name, countries(name)')
      .order('countries(name)', { ascending: false })
      .order('name')
    expect(byCountry.data?.map(({ name }) => name as string)).toEqual(['Cusco', 'Lima', 'Bergen', 'Oslo'])
    const inside = await world.service
      .from('countries')
      .select('name, cities(name)')
      .eq('id', 1)
      .order('name', { referencedTable: 'cities', ascending: true })
    expect(inside.data).toEqual([{ name: 'Norway', cities: [{ name: 'Bergen' }, { name: 'Oslo' }] }])
  })
})

describe('modifier.limit', () => {
  test('is refused if negative', async () => {
    expect(await cities().select().limit(-1)).toMatchObject({ status: 416, error: { code: 'PGRST103' } })
  })
  test('returns the first rows', async () => {
    expect((await cities().select('id').order('id').limit(2)).data).toEqual([{ id: 1 }, { id: 2 }])
    expect(await cities().select('id').limit(0)).toMatchObject({ status: 200, data: [] })
  })
  test('returns the first rows of each embed', async () => {
    const { data } = await world.service
      .from('countries')
      .select('name, cities(name)')
      .order('id')
      .order('name', { referencedTable: 'cities' })
      .limit(1, { referencedTable: 'cities' })
    expect(data).toEqual([
      { name: 'Norway', cities: [{ name: 'Bergen' }] },
      { name: 'Peru', cities: [{ name: 'Cusco' }] },
      { name: 'Chad', cities: [] },
    ])
  })
})

describe('modifier.range', () => {
  test('is refused after the last row if rows are counted', async () => {
    expect(await cities().select('*', { count: 'exact' }).range(10, 20)).toMatchObject({
      status: 416,
      error: { code: 'PGRST103', details: 'An offset of 10 was requested, but there are only 4 rows.' },
    })
  })
  test('returns the rows of a range', async () => {
    const { data, count, status } = await cities().select('id', { count: 'exact' }).order('id').range(1, 2)
    expect({ data, count, status }).toEqual({ data: [{ id: 2 }, { id: 3 }], count: 4, status: 206 })
  })
  test('returns the rows of a range in an embed', async () => {
    const { data } = await world.service
      .from('countries')
      .select('cities(name)')
      .eq('id', 1)
      .order('name', { referencedTable: 'cities' })
      .range(1, 1, { referencedTable: 'cities' })
    expect(data).toEqual([{ cities: [{ name: 'Oslo' }] }])
  })
})

describe('modifier.abortSignal', () => {
  test('cancels a request and frees its connection', async () => {
    const abort = AbortSignal.timeout(100)
    const { error, data } = await world.service.rpc('sleepy').abortSignal(abort)
    expect(data).toBeNull()
    expect(error?.message).toMatch(/abort|timeout/i)
    expect((await cities().select('id').eq('id', 1)).data).toEqual([{ id: 1 }])
  })
})

describe('modifier.single', () => {
  test('refuses several rows or none', async () => {
    expect(await cities().select('name').single()).toMatchObject({
      status: 406,
      data: null,
      error: {
        code: 'PGRST116',
        message: 'Cannot coerce the result to a single JSON object',
        details: 'The result contains 4 rows',
        hint: null,
      },
    })
    expect((await cities().select('name').eq('id', 99).single()).error?.details).toBe('The result contains 0 rows')
  })
  test('rolls back a write that does not affect one row', async () => {
    expect((await cities().delete().gt('id', 2).select().single()).error).toMatchObject({ code: 'PGRST116' })
    expect((await cities().select('*', { count: 'exact', head: true })).count).toBe(4)
  })
  test('returns one object', async () => {
    expect((await cities().select('name').eq('id', 2).single()).data).toEqual({ name: 'Bergen' })
    expect((await cities().insert({ name: 'Tromsø' }).select('name').single()).data).toEqual({ name: 'Tromsø' })
  })
})

describe('modifier.maybeSingle', () => {
  test('refuses several rows', async () => {
    expect((await cities().select('name').maybeSingle()).error).toMatchObject({ code: 'PGRST116' })
  })
  test('returns one object or null', async () => {
    expect(await cities().select('name').eq('id', 99).maybeSingle()).toMatchObject({ data: null, error: null })
    expect((await cities().select('name').eq('id', 1).maybeSingle()).data).toEqual({ name: 'Oslo' })
  })
})

describe('modifier.csv', () => {
  test('returns CSV, quoted where needed', async () => {
    const countries = await world.service.from('countries').select().order('id').csv()
    expect(countries.data).toBe('id,name\n1,Norway\n2,Peru\n3,Chad')
    const odd = await world.service
      .from('odd täble')
      .select(String.raw`q:"q\"uote",näme`)
      .csv()
    expect(odd.data).toBe('q,näme\n"it\'s ""it""",Ærø')
  })
})

describe('modifier.geojson', () => {
  test('is refused without PostGIS', async () => {
    expect(await cities().select('name').geojson()).toMatchObject({ status: 406, error: { code: 'PGRST107' } })
  })
})

describe('modifier.explain', () => {
  test('returns the plan as text or JSON', async () => {
    const text = await cities().select('name').eq('id', 1).explain()
    expect(text.data).toMatch(/Scan.*cities[\s\S]*cost=/)
    expect(text.data).not.toContain('actual time')
    const json = await cities().select('name').explain({ format: 'json', analyze: true, verbose: true })
    expect(json.data?.[0]).toMatchObject({ Plan: { 'Actual Rows': expect.any(Number) as number } })
  })
  test('changes nothing', async () => {
    expect((await cities().delete().eq('id', 4).explain()).error).toBeNull()
    expect((await cities().select('id').eq('id', 4)).data).toEqual([{ id: 4 }])
  })
})

describe('modifier.rollback', () => {
  test('returns the result and rolls back', async () => {
    const { data } = await cities().update({ note: 'far' }).gt('id', 2).rollback().select('note')
    expect(data).toEqual([{ note: 'far' }, { note: 'far' }])
    expect((await cities().select('id', { count: 'exact', head: true }).eq('note', 'far')).count).toBe(0)
  })
})

describe('modifier.maxAffected', () => {
  /** The types of an untyped client do not know that the server supports this. */
  function atMost<T>(query: T, rows: number): T {
    return (query as unknown as { maxAffected(rows: number): T }).maxAffected(rows)
  }

  test('refuses a write of more rows, and rolls back', async () => {
    const { error, status } = await atMost(cities().update({ note: 'far' }).gt('id', 0), 2).select()
    expect({ status, error }).toMatchObject({
      status: 400,
      error: {
        code: 'PGRST124',
        message: 'Query result exceeds max-affected preference constraint',
        details: 'The query affects 4 rows',
      },
    })
    expect((await atMost(world.service.rpc('rename_all', { suffix: '!' }), 1)).error).toMatchObject({
      code: 'PGRST124',
    })
    expect((await cities().select('name').like('name', '%!')).data).toEqual([])
    expect((await cities().select('id').eq('note', 'far')).data).toEqual([])
  })
  test('is refused for a function that returns no rows', async () => {
    expect((await atMost(world.service.rpc('clear_notes'), 1)).error).toMatchObject({ code: 'PGRST128' })
  })
  test('accepts a write of as many rows', async () => {
    expect((await atMost(cities().delete().gt('id', 2), 2)).error).toBeNull()
    expect((await atMost(world.service.rpc('rename_all', { suffix: '!' }), 9)).data).toHaveLength(2)
  })
})

describe('answer.then', () => {
  test('returns data, count, status and statusText', async () => {
    expect(await cities().select('id', { count: 'exact' }).eq('id', 1)).toMatchObject({
      data: [{ id: 1 }],
      error: null,
      count: 1,
      status: 200,
      statusText: 'OK',
    })
  })
})

describe('answer.throwOnError', () => {
  test("throws the server's full error", async () => {
    await expect(cities().select('nope').throwOnError()).rejects.toMatchObject({
      code: '42703',
      message: 'column cities.nope does not exist',
    })
    await expect(world.service.rpc('refuse', { why: 'because' }).throwOnError()).rejects.toMatchObject({
      code: 'P0001',
      message: 'because',
      hint: 'do not',
    })
  })
  test('returns the data otherwise', async () => {
    expect((await cities().select('id').eq('id', 1).throwOnError()).data).toEqual([{ id: 1 }])
  })
})

describe('answer.stripNulls', () => {
  test('strips nulls from rows and from a single object', async () => {
    const query = () => cities().select('name,population').eq('id', 4)
    expect((await query().stripNulls()).data).toEqual([{ name: 'Cusco' }])
    expect((await query().single().stripNulls()).data).toEqual({ name: 'Cusco' })
  })
})

describe('answer.setHeader', () => {
  test('sends the header', async () => {
    const { data } = await world.service.rpc('about_request', {}, { get: true }).setHeader('x-agent', 'conformance')
    expect(data).toMatchObject({ agent: 'conformance', method: 'GET' })
    const counted = await cities().select('id').setHeader('Prefer', 'count=exact').limit(1)
    expect(counted.count).toBe(4)
  })
})

describe('answer.retry', () => {
  test('is not needed: errors return at once', async () => {
    expect((await cities().select('nope').retry(true)).error).toMatchObject({ code: '42703' })
    expect((await cities().select('id').eq('id', 1).retry(false)).data).toEqual([{ id: 1 }])
  })
})

describe('answer.returns', () => {
  test('changes the type only', async () => {
    const { data } = await cities().select('id').eq('id', 1).returns<{ id: number }[]>()
    expect(data).toEqual([{ id: 1 }])
  })
})

describe('answer.overrideTypes', () => {
  test('changes the type only', async () => {
    const { data } = await cities().select('id').eq('id', 1).overrideTypes<{ id: number }[]>()
    expect(data).toEqual([{ id: 1 }])
  })
})
