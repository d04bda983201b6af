import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// Reading over plain HTTP. Refusals first.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld(['--rest-aggregates-enabled=true'])
  await world.run('analyze cities')
})

afterAll(() => world?.[Symbol.asyncDispose]())

async function rows(path: string): Promise<unknown> {
  const { status, body, text } = await world.http(path)
  expect(status, text).toBeLessThan(300)
  return body
}

async function refusal(path: string, headers: Record<string, string> = {}): Promise<unknown> {
  const { status, body } = await world.http(path, { headers })
  return { status, ...(body as object) }
}

const ids = async (filter: string) =>
  ((await rows(`/cities?select=id&order=id&${filter}`)) as { id: number }[]).map(({ id }) => id)

describe('reading: keys', () => {
  test('an apikey parameter grants access and is not a filter', async () => {
    const key = world.keyOf('anon') ?? ''
    const answer = await world.http(`/cities?select=id&apikey=${key}&id=eq.1`, { as: 'nobody' })
    expect([answer.status, answer.body]).toEqual([200, [{ id: 1 }]])
    expect(answer.headers.get('content-location')).toBe('/cities?id=eq.1&select=id')
    const beside = await world.http('/cities?apikey=eq.1')
    expect(beside.body).toMatchObject({ code: '42703', message: 'column cities.apikey does not exist' })
  })
})

describe('reading: filters', () => {
  test.each([
    ['without an operator', '/cities?id=1', 'PGRST100'],
    ['with an unknown operator', '/cities?id=resembles.1', 'PGRST100'],
    ['with a misplaced quantifier', '/cities?id=in(any).1', 'PGRST100'],
    ['with unbalanced parentheses', '/cities?or=(id.eq.1,id.eq.2', 'PGRST100'],
    ['with empty parentheses', '/cities?and=()', 'PGRST100'],
    ['with a value of the wrong type', '/cities?id=eq.x', '22P02'],
    ['with an unknown column', '/cities?nope=eq.1', '42703'],
    ['on an embed that is not selected', '/cities?countries.name=eq.Peru', 'PGRST108'],
    ['on the value of an embed', '/cities?select=*,countries(*)&countries=eq.1', '42703'],
  ])('a filter %s is refused', async (_title, path, code) => {
    expect(await refusal(path)).toMatchObject({ status: 400, code })
  })

  test.each([
    ['eq', 'name=eq.Oslo', [1]],
    ['neq', 'name=neq.Oslo', [2, 3, 4]],
    ['gt, gte, lt, lte', 'id=gt.1&id=gte.2&id=lt.4&id=lte.3', [2, 3]],
    ['like with asterisks', 'name=like.*s*o', [1, 4]],
    ['ilike', 'name=ilike.oSLO', [1]],
    ['match and imatch', 'name=match.^[OL]&name=imatch.^[o]', [1]],
    ['any', 'name=like(any).{O*,B*}', [1, 2]],
    ['all', 'name=ilike(all).{*S*,*O}', [1, 4]],
    ['eq(any)', 'id=eq(any).{1,3}', [1, 3]],
    ['gt(all)', 'id=gt(all).{1,2}', [3, 4]],
    ['is.null', 'population=is.null', [4]],
    ['is.not_null', 'population=is.not_null', [1, 2, 3]],
    ['is.true and is.unknown', 'or=(capital.is.true,capital.is.unknown)', [1, 3, 4]],
    ['isdistinct', 'capital=isdistinct.true', [2, 4]],
    ['in with quotes', 'name=in.("Oslo","Li,ma",Lima)', [1, 3]],
    ['cs and cd of arrays', 'tags=cs.{port}&tags=cd.{port,cold}', [1, 3]],
    ['ov', 'tags=ov.{cold,rain}', [1, 2]],
    ['sl, sr', 'open=sl.[22,30)', [1, 2]],
    ['sr', 'open=sr.[0,7)', [2]],
    ['nxr, nxl', 'open=nxr.[0,22)&open=nxl.[6,9)', [1, 2]],
    ['adj', 'open=adj.[20,30)', [2]],
    ['fts with a language', 'name=fts(simple).lima', [3]],
    ['plfts, phfts, wfts', 'or=(name.plfts(simple).oslo,name.phfts(simple).lima,name.wfts(simple).cusco)', [1, 3, 4]],
    ['not of an operator', 'name=not.like.*o', [2, 3]],
    ['nested and, or, not', 'or=(id.eq.1,and(country_id.eq.2,not.or(name.eq.Lima,name.eq.x)))', [1, 4]],
    ['not.and', 'not.and=(id.gt.1,id.lt.4)', [1, 4]],
    ['JSON paths', 'facts->mayor->>name=eq.Anne', [1]],
    ['JSON numbers', 'facts->list->0=eq.1', [1]],
    ['an enum', 'size=eq.large', [1, 3]],
    ['a computed column', 'shout=eq.LIMA', [3]],
  ])('%s', async (_title, filter, expected) => {
    expect(await ids(filter)).toEqual(expected)
  })

  test('encoded names and values may contain any character', async () => {
    const path = `/${encodeURIComponent('odd täble')}?select=${encodeURIComponent('"a b","näme"')}`
    expect(await rows(`${path}&${encodeURIComponent('näme')}=eq.${encodeURIComponent('Ærø')}`)).toEqual([
      { 'a b': 1, näme: 'Ærø' },
    ])
    expect(
      await rows(`${path}&${encodeURIComponent(String.raw`"q\"uote"`)}=eq.${encodeURIComponent(`it's "it"`)}`),
    ).toHaveLength(1)
    expect(await rows('/cities?select=id&name=eq.Os%6Co')).toEqual([{ id: 1 }])
    expect(await rows('/cities?select=id&name=eq.a+b')).toEqual([])
  })
})

describe('reading: columns', () => {
  test.each([
    ['that does not exist', '/cities?select=nope', '42703'],
    ['cast to an unknown type', '/cities?select=id::nope', '42704'],
    ['that does not parse', '/cities?select=id,(', 'PGRST100'],
    ['with an incomplete JSON path', '/cities?select=id->>', 'PGRST100'],
  ])('a column %s is refused', async (_title, path, code) => {
    expect(await refusal(path)).toMatchObject({ status: 400, code })
  })

  test('stars, aliases, casts, JSON paths, array and composite elements', async () => {
    expect(await rows('/countries?select=*&id=eq.1')).toEqual([{ id: 1, name: 'Norway' }])
    expect(
      await rows('/cities?select=town:name,population::text,mayor:facts->mayor->>name,first:tags->0&id=eq.1'),
    ).toEqual([{ town: 'Oslo', population: '700000', mayor: 'Anne', first: 'port' }])
    expect(await rows('/cities?select=id,shout&id=eq.3')).toEqual([{ id: 3, shout: 'LIMA' }])
  })

  test('views, materialised views, partitioned tables and domains', async () => {
    expect(await rows('/big_cities?select=name&order=name')).toEqual([{ name: 'Lima' }, { name: 'Oslo' }])
    expect(await rows('/country_names?order=name&limit=1')).toEqual([{ name: 'Chad' }])
    expect(await rows('/events')).toEqual([{ at: '2030-05-01', what: 'fair' }])
    expect(await rows('/cities?select=note&note=eq.none&limit=1')).toEqual([{ note: 'none' }])
  })
})

describe('reading: aggregates', () => {
  test('are refused unless enabled', async () => {
    await using closed = await openRestWorld()
    expect((await closed.http('/cities?select=population.sum()')).body).toEqual({
      code: 'PGRST123',
      message: 'Use of aggregate functions is not allowed',
      details: null,
      hint: null,
    })
  })
  test('work on all rows and in groups', async () => {
    expect(await rows('/cities?select=count(),sum:population.sum(),population.min(),population.max()')).toEqual([
      { count: 4, sum: 10_990_000, min: 290_000, max: 10_000_000 },
    ])
    expect(await rows('/cities?select=country_id,n:id.count(),population.avg()::int&order=country_id')).toEqual([
      { country_id: 1, n: 2, avg: 495_000 },
      { country_id: 2, n: 2, avg: 10_000_000 },
    ])
  })
  test('work in an embed', async () => {
    expect(await rows('/countries?select=name,cities(count())&order=id')).toEqual([
      { name: 'Norway', cities: [{ count: 2 }] },
      { name: 'Peru', cities: [{ count: 2 }] },
      { name: 'Chad', cities: [{ count: 0 }] },
    ])
  })
})

describe('reading: order, limits and counts', () => {
  test.each([
    ['/cities?order=nope', 400, '42703'],
    ['/cities?order=id.up', 400, 'PGRST100'],
    ['/cities?limit=-1', 416, 'PGRST103'],
    ['/countries?select=*,cities(*)&order=cities(name)', 400, 'PGRST118'],
  ])('%s is %i %s', async (path, status, code) => {
    expect(await refusal(path)).toMatchObject({ status, code })
  })

  test('a range that ends before it starts, or starts after the last row, is refused', async () => {
    expect(await refusal('/cities', { range: '3-1' })).toMatchObject({
      status: 416,
      code: 'PGRST103',
      message: 'Requested range not satisfiable',
      details: 'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    })
    const behind = await world.http('/cities?offset=9', { headers: { prefer: 'count=exact' } })
    expect(behind.status).toBe(416)
    expect(behind.headers.get('content-range')).toBe('*/4')
    expect(behind.body).toMatchObject({ details: 'An offset of 9 was requested, but there are only 4 rows.' })
  })

  test.each([
    ['/cities?select=id&order=population.desc.nullslast', [3, 1, 2, 4]],
    ['/cities?select=id&order=population.nullsfirst,id', [4, 2, 1, 3]],
    ['/cities?select=id&order=facts->mayor->>name.asc.nullslast,id.desc', [1, 4, 3, 2]],
    ['/cities?select=id,countries(name)&order=countries(name).desc,id', [3, 4, 1, 2]],
    ['/cities?select=id&order=shout.desc', [1, 3, 4, 2]],
  ])('%s', async (path, expected) => {
    expect(((await rows(path)) as { id: number }[]).map(({ id }) => id)).toEqual(expected)
  })

  test.each([
    ['limit and offset', '/cities?limit=2&offset=1', {}, 200, '1-2/*'],
    ['a range', '/cities', { range: '0-1' }, 200, '0-1/*'],
    ['an open range', '/cities', { range: '2-' }, 200, '2-3/*'],
    ['all rows with a count', '/cities', { prefer: 'count=exact' }, 200, '0-3/4'],
    ['some rows with a count', '/cities?limit=1', { prefer: 'count=exact' }, 206, '0-0/4'],
    ['some rows with an estimated count', '/cities?limit=1', { prefer: 'count=estimated' }, 206, '0-0/4'],
    ['some rows with a planned count', '/cities?limit=1', { prefer: 'count=planned' }, 206, '0-0/4'],
    ['no rows', '/cities?id=eq.99', {}, 200, '*/*'],
    ['no rows, counted', '/cities?id=eq.99', { prefer: 'count=exact' }, 200, '*/0'],
    ['limit=0', '/cities?limit=0', {}, 200, '*/*'],
  ])('Content-Range reports %s', async (_title, path, headers, status, range) => {
    const answer = await world.http(path, { headers: headers as Record<string, string> })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([status, range])
  })
})
