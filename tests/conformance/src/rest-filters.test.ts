import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// The unmodified client is the judge: each test uses supabase-js as documented and checks the rows.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
})

afterAll(() => world?.[Symbol.asyncDispose]())

function cities() {
  return world.service.from('cities').select('id')
}

interface Found {
  readonly data: readonly { readonly id: unknown }[] | null
  readonly error: unknown
}

async function ids(query: PromiseLike<Found>): Promise<unknown[]> {
  const { data, error } = await query
  expect(error).toBeNull()
  return (data ?? []).map(({ id }) => id).toSorted()
}

async function codeOf(query: PromiseLike<{ readonly error: { readonly code: string } | null }>): Promise<string> {
  return (await query).error?.code ?? 'none'
}

describe('filter.eq', () => {
  test('refuses a value of the wrong type', async () => {
    expect(await codeOf(cities().eq('id', 'x'))).toBe('22P02')
  })
  test('refuses an unknown column', async () => {
    expect(await codeOf(cities().eq('nope', 1))).toBe('42703')
  })
  test('matches text exactly, with quotes, commas, brackets and other scripts', async () => {
    const odd = [`it's`, 'a,b', '(x)', '"q"', 'a.b', 'naïve', '日本', '%_*', String.raw`back\slash`, '']
    await world.run(`delete from languages where id > 99`)
    const rows = odd.map((name, index) => ({ id: 100 + index, name }))
    expect((await world.service.from('languages').insert(rows)).error).toBeNull()
    for (const { id, name } of rows) {
      expect(await ids(world.service.from('languages').select('id').eq('name', name))).toEqual([id])
    }
    await world.run(`delete from languages where id > 99`)
  })
  test('reaches into JSON', async () => {
    expect(await ids(cities().eq('facts->mayor->>name', 'Anne'))).toEqual([1])
    expect(await ids(cities().eq('facts->list->0', 1))).toEqual([1])
  })
  test('accepts names with spaces, dots and quotes', async () => {
    const odd = () => world.service.from('odd täble').select('id:"a b"')
    expect(await ids(odd().eq('a b', 1))).toEqual([1])
    expect(await ids(odd().eq('näme', 'Ærø'))).toEqual([1])
    expect(await ids(odd().eq('"."', 'dot'))).toEqual([1])
  })
})

describe('filter.neq', () => {
  test('excludes the value', async () => {
    expect(await ids(cities().neq('name', 'Oslo'))).toEqual([2, 3, 4])
  })
})

describe('filter.gt', () => {
  test('finds greater values', async () => {
    expect(await ids(cities().gt('population', 290_000))).toEqual([1, 3])
  })
})

describe('filter.gte', () => {
  test('finds greater or equal values', async () => {
    expect(await ids(cities().gte('population', 290_000))).toEqual([1, 2, 3])
  })
})

describe('filter.lt', () => {
  test('finds smaller values', async () => {
    expect(await ids(cities().lt('population', 700_000))).toEqual([2])
  })
})

describe('filter.lte', () => {
  test('finds smaller or equal values', async () => {
    expect(await ids(cities().lte('population', 700_000))).toEqual([1, 2])
  })
})

describe('filter.like', () => {
  test('matches a pattern', async () => {
    expect(await ids(cities().like('name', '%o'))).toEqual([1, 4])
    expect(await ids(cities().like('name', 'o%'))).toEqual([])
  })
})

describe('filter.likeAllOf', () => {
  test('matches all patterns', async () => {
    expect(await ids(cities().likeAllOf('name', ['%s%', '%o']))).toEqual([1, 4])
  })
})

describe('filter.likeAnyOf', () => {
  test('matches any pattern', async () => {
    expect(await ids(cities().likeAnyOf('name', ['O%', 'B%']))).toEqual([1, 2])
  })
})

describe('filter.ilike', () => {
  test('matches a pattern, ignoring case', async () => {
    expect(await ids(cities().ilike('name', 'l%'))).toEqual([3])
  })
})

describe('filter.ilikeAllOf', () => {
  test('matches all patterns, ignoring case', async () => {
    expect(await ids(cities().ilikeAllOf('name', ['%S%', '%O']))).toEqual([1, 4])
  })
})

describe('filter.ilikeAnyOf', () => {
  test('matches any pattern, ignoring case', async () => {
    expect(await ids(cities().ilikeAnyOf('name', ['o%', 'b%']))).toEqual([1, 2])
  })
})

describe('filter.regexMatch', () => {
  test('refuses an invalid pattern', async () => {
    expect(await codeOf(cities().regexMatch('name', '('))).toBe('2201B')
  })
  test('matches a regular expression', async () => {
    expect(await ids(cities().regexMatch('name', '^[OL]'))).toEqual([1, 3])
  })
})

describe('filter.regexIMatch', () => {
  test('matches a regular expression, ignoring case', async () => {
    expect(await ids(cities().regexIMatch('name', '^[ol]'))).toEqual([1, 3])
  })
})

describe('filter.is', () => {
  test('refuses values other than booleans and null', async () => {
    expect(await codeOf(cities().is('capital', 'maybe' as unknown as null))).toBe('PGRST100')
  })
  test('finds null, true and false', async () => {
    expect(await ids(cities().is('population', null))).toEqual([4])
    expect(await ids(cities().is('capital', true))).toEqual([1, 3])
    expect(await ids(cities().is('capital', false))).toEqual([2])
  })
})

describe('filter.isDistinct', () => {
  test('treats null as a different value', async () => {
    expect(await ids(cities().isDistinct('capital', true))).toEqual([2, 4])
  })
})

describe('filter.in', () => {
  test('finds any of the values, including commas and brackets', async () => {
    expect(await ids(cities().in('name', ['Oslo', 'Li,ma', '(Cusco)', 'Cusco']))).toEqual([1, 4])
  })
  test('finds nothing for an empty list', async () => {
    expect(await ids(cities().in('id', []))).toEqual([])
  })
})

describe('filter.notIn', () => {
  test('excludes all of the values', async () => {
    expect(await ids(cities().notIn('name', ['Oslo', 'Cusco']))).toEqual([2, 3])
  })
})

describe('filter.contains', () => {
  test('is refused for types without containment', async () => {
    expect(await codeOf(cities().contains('name', ['x']))).toBe('42883')
  })
  test('supports arrays, JSON and ranges', async () => {
    expect(await ids(cities().contains('tags', ['port', 'rain']))).toEqual([2])
    expect(await ids(cities().contains('facts', { sea: true }))).toEqual([1, 2, 3])
    expect(await ids(cities().contains('open', '[6,7)'))).toEqual([1, 3])
  })
})

describe('filter.containedBy', () => {
  test('supports arrays, JSON and ranges', async () => {
    expect(await ids(cities().containedBy('tags', ['port', 'x']))).toEqual([3, 4])
    expect(await ids(cities().containedBy('facts', { sea: true, more: 1 }))).toEqual([2, 3, 4])
    expect(await ids(cities().containedBy('open', '[0,23)'))).toEqual([1, 2])
  })
})

describe('filter.overlaps', () => {
  test('supports arrays and ranges', async () => {
    expect(await ids(cities().overlaps('tags', ['cold', 'rain']))).toEqual([1, 2])
    expect(await ids(cities().overlaps('open', '[23,30)'))).toEqual([3])
  })
})

describe('filter.rangeGt', () => {
  test('finds ranges strictly to the right', async () => {
    expect(await ids(cities().rangeGt('open', '[0,7)'))).toEqual([2])
  })
})

describe('filter.rangeGte', () => {
  test('finds ranges that do not extend to the left', async () => {
    expect(await ids(cities().rangeGte('open', '[6,9)'))).toEqual([1, 2])
  })
})

describe('filter.rangeLt', () => {
  test('finds ranges strictly to the left', async () => {
    expect(await ids(cities().rangeLt('open', '[22,30)'))).toEqual([1, 2])
  })
})

describe('filter.rangeLte', () => {
  test('finds ranges that do not extend to the right', async () => {
    expect(await ids(cities().rangeLte('open', '[0,22)'))).toEqual([1, 2])
  })
})

describe('filter.rangeAdjacent', () => {
  test('finds ranges that touch', async () => {
    expect(await ids(cities().rangeAdjacent('open', '[20,30)'))).toEqual([2])
  })
})

describe('filter.textSearch', () => {
  test('refuses an unknown configuration', async () => {
    expect(await codeOf(cities().textSearch('name', 'x', { config: 'klingon' }))).toBe('42704')
  })
  test.each([
    [undefined, 'oslo | lima', [1, 3]],
    ['plain', 'Cusco', [4]],
    ['phrase', 'Lima', [3]],
    ['websearch', 'oslo or bergen', [1, 2]],
  ] as const)('finds words (%s)', async (type, query, expected) => {
    expect(await ids(cities().textSearch('name', query, { config: 'simple', ...(type && { type }) }))).toEqual(expected)
  })
})

describe('filter.match', () => {
  test('matches all of the values', async () => {
    expect(await ids(cities().match({ name: 'Oslo', country_id: 1 }))).toEqual([1])
  })
})

describe('filter.not', () => {
  test('negates a filter', async () => {
    expect(await ids(cities().not('id', 'in', '(1,2)'))).toEqual([3, 4])
    expect(await ids(cities().not('capital', 'is', null))).toEqual([1, 2, 3])
  })
})

describe('filter.or', () => {
  test('refuses unbalanced parentheses', async () => {
    expect(await codeOf(cities().or('id.eq.1,and(id.eq.2'))).toBe('PGRST100')
  })
  test('matches any of the conditions, also nested and negated', async () => {
    expect(await ids(cities().or('id.eq.1,and(name.eq.Lima,population.gt.5)'))).toEqual([1, 3])
    expect(await ids(cities().or('id.eq.1,not.or(id.lt.4,name.eq.x)'))).toEqual([1, 4])
  })
  test('filters an embed', async () => {
    const { data } = await world.service
      .from('countries')
      .select('name, cities(name)')
      .or('name.eq.Lima,name.eq.Oslo', { referencedTable: 'cities' })
      .order('name')
    expect(data).toEqual([
      { name: 'Chad', cities: [] },
      { name: 'Norway', cities: [{ name: 'Oslo' }] },
      { name: 'Peru', cities: [{ name: 'Lima' }] },
    ])
  })
})

describe('filter.filter', () => {
  test('refuses an unknown operator', async () => {
    expect(await codeOf(cities().filter('id', 'resembles', 1))).toBe('PGRST100')
  })
  test('accepts any operator, also on an embed', async () => {
    expect(await ids(cities().filter('id', 'not.in', '(1,2)'))).toEqual([3, 4])
    const { data } = await world.service
      .from('cities')
      .select('id, countries!inner(name)')
      .filter('countries.name', 'eq', 'Peru')
    expect(data?.map(({ id }) => id as unknown)).toEqual([3, 4])
  })
})
