import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// Embedded resources over plain HTTP. Refusals first.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
})

afterAll(() => world?.[Symbol.asyncDispose]())

async function rows(path: string): Promise<unknown> {
  const { status, body, text } = await world.http(path)
  expect(status, text).toBeLessThan(300)
  return body
}

describe('embedding', () => {
  test('without a relationship is refused and suggests the nearest name', async () => {
    expect((await world.http('/cities?select=*,countrys(*)')).body).toEqual({
      code: 'PGRST200',
      message: "Could not find a relationship between 'cities' and 'countrys' in the schema cache",
      details:
        "Searched for a foreign key relationship between 'cities' and 'countrys' in the schema 'public', but no matches were found.",
      hint: "Perhaps you meant 'countries' instead of 'countrys'.",
    })
  })

  test('with an unknown hint is refused', async () => {
    expect((await world.http('/cities?select=*,countries!nope(*)')).body).toMatchObject({
      code: 'PGRST200',
      details:
        "Searched for a foreign key relationship between 'cities' and 'countries' using the hint 'nope' in the schema 'public', but no matches were found.",
      hint: null,
    })
  })

  test('with two possible relationships is refused and lists both', async () => {
    const { status, body } = await world.http('/flights?select=*,cities(*)')
    expect(status).toBe(300)
    expect(body).toEqual({
      code: 'PGRST201',
      message: "Could not embed because more than one relationship was found for 'flights' and 'cities'",
      hint: "Try changing 'cities' to one of the following: 'cities!flight_from', 'cities!flight_to'. Find the desired relationship in the 'details' key.",
      details: [
        {
          cardinality: 'many-to-one',
          embedding: 'flights with cities',
          relationship: 'flight_from using flights(from_id) and cities(id)',
        },
        {
          cardinality: 'many-to-one',
          embedding: 'flights with cities',
          relationship: 'flight_to using flights(to_id) and cities(id)',
        },
      ],
    })
  })

  test.each([
    ['many to one', '/cities?select=name,countries(name)&id=eq.1', [{ name: 'Oslo', countries: { name: 'Norway' } }]],
    [
      'one to many',
      '/countries?select=name,cities(name)&id=eq.1&cities.order=name',
      [{ name: 'Norway', cities: [{ name: 'Bergen' }, { name: 'Oslo' }] }],
    ],
    ['one to one', '/cities?select=mayors(name)&id=eq.1', [{ mayors: { name: 'Anne' } }]],
    ['a to-one relationship without a row', '/cities?select=mayors(name)&id=eq.2', [{ mayors: null }]],
    ['a to-many relationship without rows', '/countries?select=cities(name)&id=eq.3', [{ cities: [] }]],
    [
      'many to many',
      '/countries?select=languages(name)&id=eq.2&languages.order=id',
      [{ languages: [{ name: 'Spanish' }, { name: 'Quechua' }] }],
    ],
    [
      'a hint that is a foreign key',
      '/flights?select=cities!flight_to(name)&id=eq.1',
      [{ cities: { name: 'Bergen' } }],
    ],
    ['a hint that is a column', '/flights?select=cities!from_id(name)&id=eq.1', [{ cities: { name: 'Oslo' } }]],
    ['a target that is a column', '/flights?select=from_id(name)&id=eq.1', [{ from_id: { name: 'Oslo' } }]],
    ['a target that is a foreign key', '/flights?select=flight_to(name)&id=eq.1', [{ flight_to: { name: 'Bergen' } }]],
    ['an alias', '/cities?select=land:countries(name)&id=eq.1', [{ land: { name: 'Norway' } }]],
    ['a computed relationship', '/countries?select=capital_of(name)&id=eq.1', [{ capital_of: { name: 'Oslo' } }]],
    [
      'a self-reference, upwards',
      '/districts?select=name,parent:parent_id(name,parent:parent_id(name))&id=eq.3',
      [{ name: 'Quay', parent: { name: 'Harbour', parent: { name: 'Centre' } } }],
    ],
    [
      'a self-reference, downwards',
      '/districts?select=name,districts(name)&id=eq.1',
      [{ name: 'Centre', districts: [{ name: 'Harbour' }] }],
    ],
    [
      'four levels',
      '/mayors?select=name,cities(countries(languages(name)))&city_id=eq.1',
      [{ name: 'Anne', cities: { countries: { languages: [{ name: 'Norwegian' }] } } }],
    ],
    ['a view', '/big_cities?select=name,countries(name)&id=eq.3', [{ name: 'Lima', countries: { name: 'Peru' } }]],
    ['a view in a table', '/countries?select=big_cities(name)&id=eq.2', [{ big_cities: [{ name: 'Lima' }] }]],
    ['a to-one spread', '/cities?select=name,...countries(land:name)&id=eq.3', [{ name: 'Lima', land: 'Peru' }]],
    [
      'a to-many spread',
      '/countries?select=name,...cities(towns:name)&id=eq.1&cities.order=name',
      [{ name: 'Norway', towns: ['Bergen', 'Oslo'] }],
    ],
    ['a count', '/countries?select=name,cities(count)&id=eq.1', [{ name: 'Norway', cities: [{ count: 2 }] }]],
  ])('of %s', async (_title, path, expected) => {
    expect(await rows(path)).toEqual(expected)
  })

  test('inner drops rows with an empty embed, left keeps them', async () => {
    expect(await rows('/countries?select=name,cities!inner(name)&cities.name=eq.Lima')).toEqual([
      { name: 'Peru', cities: [{ name: 'Lima' }] },
    ])
    expect(await rows('/countries?select=name,cities!left(name)&cities.name=eq.Lima&order=id')).toEqual([
      { name: 'Norway', cities: [] },
      { name: 'Peru', cities: [{ name: 'Lima' }] },
      { name: 'Chad', cities: [] },
    ])
    expect(await rows('/flights?select=id,cities!flight_from!inner(name)&cities.name=eq.Lima')).toEqual([
      { id: 2, cities: { name: 'Lima' } },
    ])
  })

  test('an embed without columns only filters', async () => {
    expect(await rows('/countries?select=name,cities!inner()&cities.capital=is.true&order=id')).toEqual([
      { name: 'Norway' },
      { name: 'Peru' },
    ])
  })

  test('an empty embed can be tested with is.null', async () => {
    expect(await rows('/countries?select=name,cities()&cities=is.null')).toEqual([{ name: 'Chad' }])
    expect(await rows('/countries?select=name,cities()&cities=not.is.null&order=id')).toEqual([
      { name: 'Norway' },
      { name: 'Peru' },
    ])
    expect(
      await rows('/cities?select=name,mayors(),flights!flight_from()&or=(mayors.is.null,flights.not.is.null)&order=id'),
    ).toEqual([{ name: 'Oslo' }, { name: 'Bergen' }, { name: 'Lima' }, { name: 'Cusco' }])
  })

  test('filters, orders, limits and offsets apply inside an embed', async () => {
    expect(
      await rows(
        '/countries?select=name,cities(name)&id=lt.3&order=id&cities.order=name.desc&cities.limit=1&cities.offset=1',
      ),
    ).toEqual([
      { name: 'Norway', cities: [{ name: 'Bergen' }] },
      { name: 'Peru', cities: [{ name: 'Cusco' }] },
    ])
    expect(await rows('/countries?select=name,cities(name)&id=eq.1&cities.or=(name.eq.Oslo,id.eq.3)')).toEqual([
      { name: 'Norway', cities: [{ name: 'Oslo' }] },
    ])
    expect(
      await rows('/countries?select=cities(name,mayors(name))&id=eq.1&cities.order=id&cities.mayors.name=eq.nobody'),
    ).toEqual([
      {
        cities: [
          { name: 'Oslo', mayors: null },
          { name: 'Bergen', mayors: null },
        ],
      },
    ])
  })

  test("works on functions that return a table's rows", async () => {
    expect(await rows('/rpc/cities_of?country=Norway&select=name,countries(name)&order=name&limit=1')).toEqual([
      { name: 'Bergen', countries: { name: 'Norway' } },
    ])
  })

  test('works on written rows', async () => {
    const { body } = await world.http('/cities?select=name,countries(name)&id=eq.1', {
      method: 'PATCH',
      headers: { prefer: 'return=representation, tx=rollback' },
      body: { country_id: 2 },
    })
    expect(body).toEqual([{ name: 'Oslo', countries: { name: 'Peru' } }])
  })
})
