import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// The unmodified client decides what is right: each test uses supabase-js as its documentation does, and looks at the data, the
// counts and the errors that it makes of the answers.

const ROWS = `
  truncate countries, cities, mayors, notes, api.things restart identity cascade;
  insert into countries values (1, 'Norway'), (2, 'Peru'), (3, 'Chad');
  insert into cities (name, country_id, population, tags, facts, open, capital) values
    ('Oslo', 1, 700000, '{port,cold}', '{"sea": true, "mayor": {"name": "Anne"}}', '[6,22)', true),
    ('Bergen', 1, 290000, '{port,rain}', '{"sea": true}', '[8,20)', false),
    ('Lima', 2, 10000000, '{port}', '{"sea": true}', '[0,24)', true),
    ('Cusco', 2, null, '{}', '{}', null, null);
  insert into mayors values (1, 'Anne'), (3, 'Rafael');
`

let world: RestWorld
let db: SupabaseClient

beforeAll(async () => {
  world = await openRestWorld()
  db = world.service
})

beforeEach(async () => {
  await run(ROWS)
})

afterAll(() => world?.[Symbol.asyncDispose]())

async function run(text: string): Promise<void> {
  await world.pool.withClient((client) => client.query(text))
}

describe('who asks', () => {
  test('two people see their own rows, and nobody else any', async () => {
    const ann = await world.signIn('ann')
    const ben = await world.signIn('ben')
    expect(await ann.from('notes').insert({ body: "ann's" }).select('body').single()).toMatchObject({
      data: { body: "ann's" },
      error: null,
      status: 201,
    })
    expect((await ben.from('notes').insert([{ body: 'b1' }, { body: 'b2' }])).error).toBeNull()

    const read = (client: SupabaseClient) => client.from('notes').select('body').order('body')
    expect((await read(ann)).data).toEqual([{ body: "ann's" }])
    expect((await read(ben)).data).toEqual([{ body: 'b1' }, { body: 'b2' }])
    expect((await read(world.anon)).data).toEqual([])
    expect((await read(world.service)).data).toHaveLength(3)

    const { data: mine } = await ann.auth.getUser()
    const forged = await ben.from('notes').insert({ body: 'x', owner: mine.user?.id })
    expect(forged).toMatchObject({ status: 403, error: { code: '42501' } })
    expect(await world.anon.from('notes').insert({ body: 'x' })).toMatchObject({
      status: 401,
      error: { code: '42501' },
    })
    expect((await ben.from('notes').update({ body: 'stolen' }).eq('body', "ann's").select()).data).toEqual([])
    expect((await ann.rpc('clear_notes')).error).toBeNull()
    expect((await read(world.service)).data).toEqual([{ body: 'b1' }, { body: 'b2' }])
  })
})

describe('select', () => {
  test('columns, aliases, casts and JSON', async () => {
    const { data, error } = await db
      .from('cities')
      .select('id, town:name, population::text, facts->mayor->>name, sea:facts->sea')
      .eq('name', 'Oslo')
    expect(error).toBeNull()
    expect(data).toEqual([{ id: 1, town: 'Oslo', population: '700000', name: 'Anne', sea: true }])
  })

  test('embeds with hints, inner joins, filters, orders and limits', async () => {
    expect((await db.from('cities').select('name, countries(name), mayors(name)').eq('id', 1).single()).data).toEqual({
      name: 'Oslo',
      countries: { name: 'Norway' },
      mayors: { name: 'Anne' },
    })
    const countries = await db
      .from('countries')
      .select('name, towns:cities(name)')
      .order('name')
      .order('name', { referencedTable: 'towns', ascending: false })
      .limit(1, { referencedTable: 'towns' })
    expect(countries.data).toEqual([
      { name: 'Chad', towns: [] },
      { name: 'Norway', towns: [{ name: 'Oslo' }] },
      { name: 'Peru', towns: [{ name: 'Lima' }] },
    ])
    const inner = await db
      .from('cities')
      .select('name, countries!inner(name)')
      .eq('countries.name', 'Peru')
      .order('name')
    expect(inner.data?.map(({ name }) => name)).toEqual(['Cusco', 'Lima'])
    const some = await db
      .from('countries')
      .select('name, cities!cities_country_id_fkey!inner()')
      .or('name.eq.Lima,name.eq.Oslo', { referencedTable: 'cities' })
      .order('name')
    expect(some.data).toEqual([{ name: 'Norway' }, { name: 'Peru' }])
    expect((await db.from('countries').select('name, cities(count)').eq('id', 1)).data).toEqual([
      { name: 'Norway', cities: [{ count: 2 }] },
    ])
    expect((await db.from('cities').select('name, ...countries(country:name)').eq('id', 3)).data).toEqual([
      { name: 'Lima', country: 'Peru' },
    ])
  })

  test('every kind of filter', async () => {
    const cities = () => db.from('cities').select('id')
    const ids = async (query: PromiseLike<{ data: { id: number }[] | null; error: unknown }>) => {
      const { data, error } = await query
      expect(error).toBeNull()
      return data?.map(({ id }) => id).toSorted()
    }
    expect(await ids(cities().eq('name', 'Oslo'))).toEqual([1])
    expect(await ids(cities().neq('name', 'Oslo'))).toEqual([2, 3, 4])
    expect(await ids(cities().gt('id', 1).lte('id', 3))).toEqual([2, 3])
    expect(await ids(cities().gte('id', 3).lt('id', 4))).toEqual([3])
    expect(await ids(cities().like('name', '%o'))).toEqual([1, 4])
    expect(await ids(cities().ilike('name', 'L%'))).toEqual([3])
    expect(await ids(cities().likeAnyOf('name', ['O%', 'B%']))).toEqual([1, 2])
    expect(await ids(cities().ilikeAllOf('name', ['%s%', '%o']))).toEqual([1, 4])
    expect(await ids(cities().is('population', null))).toEqual([4])
    expect(await ids(cities().is('capital', true))).toEqual([1, 3])
    expect(await ids(cities().in('name', ['Oslo', 'Li,ma', 'Cusco']))).toEqual([1, 4])
    expect(await ids(cities().in('id', []))).toEqual([])
    expect(await ids(cities().contains('tags', ['port', 'rain']))).toEqual([2])
    expect(await ids(cities().contains('facts', { sea: true }))).toEqual([1, 2, 3])
    expect(await ids(cities().containedBy('tags', ['port', 'x']))).toEqual([3, 4])
    expect(await ids(cities().overlaps('tags', ['cold', 'rain']))).toEqual([1, 2])
    expect(await ids(cities().overlaps('open', '[23,30)'))).toEqual([3])
    expect(await ids(cities().rangeGt('open', '[0,7)'))).toEqual([2])
    expect(await ids(cities().rangeLt('open', '[22,30)'))).toEqual([1, 2])
    expect(await ids(cities().rangeGte('open', '[6,9)'))).toEqual([1, 2])
    expect(await ids(cities().rangeLte('open', '[0,22)'))).toEqual([1, 2])
    expect(await ids(cities().rangeAdjacent('open', '[20,30)'))).toEqual([2])
    expect(await ids(cities().textSearch('name', 'oslo | lima', { config: 'simple' }))).toEqual([1, 3])
    expect(await ids(cities().textSearch('name', 'Cusco', { type: 'websearch' }))).toEqual([4])
    expect(await ids(cities().match({ name: 'Oslo', country_id: 1 }))).toEqual([1])
    expect(await ids(cities().not('id', 'in', '(1,2)'))).toEqual([3, 4])
    expect(await ids(cities().or('id.eq.1,and(name.eq.Lima,population.gt.5)'))).toEqual([1, 3])
    expect(await ids(cities().filter('facts->mayor->>name', 'eq', 'Anne'))).toEqual([1])
    expect(await ids(cities().regexMatch('name', '^[OL]').limit(9))).toEqual([1, 3])
    expect(await ids(cities().isDistinct('capital', true))).toEqual([2, 4])
  })

  test('order, limit, range and counts', async () => {
    const names = await db
      .from('cities')
      .select('name')
      .order('population', { ascending: false, nullsFirst: false })
      .range(1, 2)
    expect(names.data).toEqual([{ name: 'Oslo' }, { name: 'Bergen' }])
    const counted = await db.from('cities').select('*', { count: 'exact' }).limit(1)
    expect(counted).toMatchObject({ count: 4, status: 206, data: [{ id: 1 }] })
    expect(await db.from('cities').select('*', { count: 'exact', head: true }).eq('country_id', 1)).toMatchObject({
      count: 2,
      data: null,
      error: null,
    })
    expect((await db.from('cities').select('*', { count: 'estimated', head: true })).count).toBe(4)
    expect((await db.from('cities').select('*', { count: 'planned', head: true })).count).toBeGreaterThanOrEqual(0)
    expect(await db.from('cities').select('*', { count: 'exact' }).range(10, 20)).toMatchObject({
      status: 416,
      error: { code: 'PGRST103' },
    })
  })

  test('one object, perhaps one object, CSV, and no nulls', async () => {
    expect((await db.from('cities').select('name').eq('id', 2).single()).data).toEqual({ name: 'Bergen' })
    expect(await db.from('cities').select('name').single()).toMatchObject({
      status: 406,
      error: { code: 'PGRST116', details: 'The result contains 4 rows', hint: null },
    })
    expect(await db.from('cities').select('name').eq('id', 99).maybeSingle()).toMatchObject({ data: null, error: null })
    expect((await db.from('cities').select('name').eq('id', 1).maybeSingle()).data).toEqual({ name: 'Oslo' })
    expect((await db.from('cities').select('name').maybeSingle()).error).toMatchObject({ code: 'PGRST116' })
    expect((await db.from('countries').select().order('id').csv()).data).toBe('id,name\n1,Norway\n2,Peru\n3,Chad')
    expect((await db.from('cities').select('name,population').eq('id', 4).stripNulls()).data).toEqual([
      { name: 'Cusco' },
    ])
  })

  test('another schema, and a table that was made a moment ago', async () => {
    await run('insert into api.things values (7)')
    expect((await db.schema('api').from('things').select()).data).toEqual([{ id: 7 }])
    expect((await db.schema('auth').from('users').select()).error).toMatchObject({ code: 'PGRST106' })
    await run('create table fresh (id int primary key)')
    await expect.poll(async () => (await db.from('fresh').select()).data).toEqual([])
    await run('drop table fresh')
    await expect.poll(async () => (await db.from('fresh').select()).error).toMatchObject({ code: 'PGRST205' })
  })
})

describe('writing', () => {
  test('insert one, many, with defaults, and back again', async () => {
    expect(await db.from('countries').insert({ id: 9, name: 'Fiji' })).toMatchObject({
      status: 201,
      data: null,
      error: null,
    })
    const many = await db
      .from('cities')
      .insert(
        [
          { name: 'A', country_id: 9 },
          { name: 'B', note: 'own' },
        ],
        { defaultToNull: false, count: 'exact' },
      )
      .select('name, note, countries(name)')
    expect(many).toMatchObject({
      count: 2,
      data: [
        { name: 'A', note: 'none', countries: { name: 'Fiji' } },
        { name: 'B', note: 'own', countries: null },
      ],
    })
    expect(
      (
        await db
          .from('cities')
          .insert([{ name: 'C' }, { name: 'D', note: 'x' }])
          .select('note')
      ).data,
    ).toEqual([{ note: null }, { note: 'x' }])
    expect((await db.from('countries').insert({ id: 9, name: 'Again' })).error).toMatchObject({
      code: '23505',
      message: 'duplicate key value violates unique constraint "countries_pkey"',
      details: 'Key (id)=(9) already exists.',
      hint: null,
    })
    expect(await db.from('cities').insert({ nope: 1 })).toMatchObject({ status: 400, error: { code: 'PGRST204' } })
  })

  test('upsert, update and delete', async () => {
    const upsert = await db
      .from('countries')
      .upsert([
        { id: 1, name: 'Norge' },
        { id: 8, name: 'Mali' },
      ])
      .select()
    expect(upsert).toMatchObject({
      status: 201,
      data: [
        { id: 1, name: 'Norge' },
        { id: 8, name: 'Mali' },
      ],
    })
    const ignored = await db
      .from('countries')
      .upsert({ id: 77, name: 'Mali' }, { onConflict: 'name', ignoreDuplicates: true })
      .select()
    expect(ignored.data).toEqual([])
    const update = await db
      .from('cities')
      .update({ note: 'new', facts: { a: [1, 2] } }, { count: 'exact' })
      .eq('country_id', 1)
      .select('id, note')
      .order('id')
    expect(update).toMatchObject({
      status: 200,
      count: 2,
      data: [
        { id: 1, note: 'new' },
        { id: 2, note: 'new' },
      ],
    })
    expect(await db.from('cities').update({ note: 'x' }).eq('id', 1)).toMatchObject({
      status: 204,
      data: null,
      error: null,
    })
    expect((await db.from('cities').delete({ count: 'exact' }).in('id', [2, 3])).count).toBe(2)
    expect((await db.from('cities').delete().eq('id', 4).select('name').single()).data).toEqual({ name: 'Cusco' })
    expect(await db.from('countries').delete().eq('id', 1)).toMatchObject({ status: 409, error: { code: '23503' } })
  })

  test('keeps nothing that goes too far', async () => {
    // The type of an untyped client does not say that the server is new enough for this.
    const wide = db.from('cities').update({ note: 'far' }).gt('id', 0)
    const far = await (wide as unknown as { maxAffected(rows: number): typeof wide }).maxAffected(2).select()
    expect(far).toMatchObject({ status: 400, error: { code: 'PGRST124' } })
    expect((await db.from('cities').delete().gt('id', 0).select().single()).error).toMatchObject({ code: 'PGRST116' })
    expect((await db.from('cities').update({ note: 'far' }).gt('id', 0).rollback()).error).toBeNull()
    expect((await db.from('cities').select('id', { count: 'exact', head: true }).eq('note', 'none')).count).toBe(4)
  })
})

describe('rpc', () => {
  test('arguments, defaults, reads, filters and refusals', async () => {
    expect((await db.rpc('echo', { say: 'ab', times: 2 })).data).toBe('abab')
    expect((await db.rpc('echo', { say: 'ab' }, { get: true })).data).toBe('ab')
    expect((await db.rpc('sum_of', { numbers: [1, 2, 3] })).data).toBe(6)
    expect((await db.rpc('sum_of', { numbers: [1, 2, 3] }, { get: true })).data).toBe(6)
    const found = await db.rpc('cities_of', { country: 'Norway' }).select('name, mayors(name)').gt('population', 300000)
    expect(found.data).toEqual([{ name: 'Oslo', mayors: { name: 'Anne' } }])
    expect((await db.rpc('cities_of', { country: 'Peru' }, { head: true, count: 'exact' })).count).toBe(2)
    expect(await db.rpc('clear_notes')).toMatchObject({ status: 204, data: null, error: null })
    expect(await db.rpc('clear_notes', {}, { get: true })).toMatchObject({ status: 405, error: { code: '25006' } })
    expect(await db.rpc('refuse', { why: 'because' })).toMatchObject({
      status: 400,
      error: { code: 'P0001', message: 'because', hint: 'do not' },
    })
    expect(await db.rpc('ecko', { say: 'x' })).toMatchObject({
      status: 404,
      error: { code: 'PGRST202', hint: 'Perhaps you meant to call the function public.echo' },
    })
  })
})
