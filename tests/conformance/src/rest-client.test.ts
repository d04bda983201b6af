import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// The unmodified client is the judge: each test uses supabase-js as documented and checks the data, counts and errors that it returns.

let world: RestWorld
let db: SupabaseClient

beforeAll(async () => {
  world = await openRestWorld()
  db = world.service
})

beforeEach(() => world.reset())

afterAll(() => world?.[Symbol.asyncDispose]())

describe('client.from', () => {
  test('refuses an unknown table and suggests the nearest name', async () => {
    expect(await db.from('citys').select()).toMatchObject({
      status: 404,
      error: {
        code: 'PGRST205',
        message: "Could not find the table 'public.citys' in the schema cache",
        details: null,
        hint: null,
      },
    })
    expect((await db.from('country').select()).error).toMatchObject({ hint: null })
    expect((await db.from('countrie').select()).error).toMatchObject({
      hint: "Perhaps you meant the table 'public.countries'",
    })
  })
  test('shows two users only their own rows, and other users none', async () => {
    const ann = await world.signIn('ann')
    const ben = await world.signIn('ben')
    expect(await ann.from('notes').insert({ body: "ann's" }).select('body').single()).toMatchObject({
      data: { body: "ann's" },
      error: null,
      status: 201,
    })
    expect((await ben.from('notes').insert([{ body: 'b1' }, { body: 'b2' }])).error).toBeNull()
    const read = async (client: SupabaseClient) => (await client.from('notes').select('body').order('body')).data
    expect(await read(ann)).toEqual([{ body: "ann's" }])
    expect(await read(ben)).toEqual([{ body: 'b1' }, { body: 'b2' }])
    expect(await read(world.anon)).toEqual([])
    expect(await read(db)).toHaveLength(3)

    const { data: mine } = await ann.auth.getUser()
    const forged = await ben.from('notes').insert({ body: 'x', owner: mine.user?.id })
    expect(forged).toMatchObject({ status: 403, error: { code: '42501' } })
    expect(await world.anon.from('notes').insert({ body: 'x' })).toMatchObject({
      status: 401,
      error: { code: '42501' },
    })
    expect((await ben.from('notes').update({ body: 'stolen' }).eq('body', "ann's").select()).data).toEqual([])
    expect((await ann.rpc('clear_notes')).error).toBeNull()
    expect(await read(db)).toEqual([{ body: 'b1' }, { body: 'b2' }])
  })
  test('is refused for a table without privileges', async () => {
    const { error, status } = await world.anon.from('secrets').select()
    expect({ status, error }).toMatchObject({
      status: 401,
      error: { code: '42501', message: 'permission denied for table secrets' },
    })
  })
  test('reads views, materialised views and partitioned tables', async () => {
    expect((await db.from('big_cities').select('name').order('name')).data).toEqual([
      { name: 'Lima' },
      { name: 'Oslo' },
    ])
    expect((await db.from('country_names').select().order('name').limit(1)).data).toEqual([{ name: 'Chad' }])
    expect((await db.from('events').select()).data).toEqual([{ at: '2030-05-01', what: 'fair' }])
  })
  test('sees a new table at once', async () => {
    await world.run('create table fresh (id int primary key)')
    await expect.poll(async () => (await db.from('fresh').select()).data).toEqual([])
    await world.run('drop table fresh')
    await expect.poll(async () => (await db.from('fresh').select()).error).toMatchObject({ code: 'PGRST205' })
  })
})

describe('client.schema', () => {
  test('refuses a schema that is not exposed', async () => {
    expect(await db.schema('auth').from('users').select()).toMatchObject({
      status: 406,
      error: {
        code: 'PGRST106',
        message: 'Invalid schema: auth',
        hint: 'Only the following schemas are exposed: public, api',
      },
    })
  })
  test('reads and writes in another schema', async () => {
    expect((await db.schema('api').from('things').select()).data).toEqual([{ id: 7 }])
    expect((await db.schema('api').from('things').insert({ id: 8 }).select()).data).toEqual([{ id: 8 }])
    expect((await db.schema('api').from('things').delete().eq('id', 8)).error).toBeNull()
  })
})

describe('client.rpc', () => {
  test('refuses an unknown function and suggests the nearest name', async () => {
    expect(await db.rpc('ecko', { say: 'x' })).toMatchObject({
      status: 404,
      error: { code: 'PGRST202', hint: 'Perhaps you meant to call the function public.echo' },
    })
  })
  test('refuses arguments that no function takes and suggests the nearest ones', async () => {
    expect((await db.rpc('echo', { says: 'x' })).error).toMatchObject({
      code: 'PGRST202',
      message: 'Could not find the function public.echo(says) in the schema cache',
      details:
        'Searched for the function public.echo with parameter says or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.',
      hint: 'Perhaps you meant to call the function public.echo(say, times)',
    })
  })
  test('refuses to write with GET', async () => {
    expect(await db.rpc('clear_notes', {}, { get: true })).toMatchObject({ status: 405, error: { code: '25006' } })
  })
  test('refuses with the error that the function raises', async () => {
    expect(await db.rpc('refuse', { why: 'because' })).toMatchObject({
      status: 400,
      error: { code: 'P0001', message: 'because', hint: 'do not' },
    })
  })
  test('passes arguments by POST or GET and keeps defaults', async () => {
    expect((await db.rpc('echo', { say: 'ab', times: 2 })).data).toBe('abab')
    expect((await db.rpc('echo', { say: 'ab' }, { get: true })).data).toBe('ab')
    expect((await db.rpc('sum_of', { numbers: [1, 2, 3] })).data).toBe(6)
    expect((await db.rpc('sum_of', { numbers: [1, 2, 3] }, { get: true })).data).toBe(6)
    expect((await db.rpc('joined', { words: ['a', 'b'] })).data).toBe('a-b')
    expect((await db.rpc('no_args')).data).toBe(7)
  })
  test('returns rows to filter, order, limit and embed', async () => {
    const found = await db
      .rpc('cities_of', { country: 'Norway' })
      .select('name, mayors(name)')
      .gt('population', 300_000)
    expect(found.data).toEqual([{ name: 'Oslo', mayors: { name: 'Anne' } }])
    expect((await db.rpc('pairs').order('a', { ascending: false }).limit(1)).data).toEqual([{ a: 2, b: 'y' }])
    expect((await db.rpc('one_city', { which: 3 }).select('name').single()).data).toEqual({ name: 'Lima' })
  })
  test('counts rows, with or without returning them', async () => {
    expect((await db.rpc('cities_of', { country: 'Peru' }, { head: true, count: 'exact' })).count).toBe(2)
    expect((await db.rpc('cities_of', { country: 'Peru' }, { count: 'exact' }).limit(1)).count).toBe(2)
  })
  test('returns null for void', async () => {
    expect(await db.rpc('clear_notes')).toMatchObject({ status: 204, data: null, error: null })
  })
})

describe('client.getOpenApiSpec', () => {
  test('describes the tables and functions that the role may use', async () => {
    const rest = db.schema('public') as unknown as {
      getOpenApiSpec(): Promise<{ data: { paths: object; info: unknown } | null; error: unknown }>
    }
    const { data, error } = await rest.getOpenApiSpec()
    expect(error).toBeNull()
    expect(data?.info).toMatchObject({ title: 'Atlas', description: 'Countries and cities.' })
    expect(Object.keys(data?.paths ?? {})).toEqual(expect.arrayContaining(['/', '/cities', '/secrets', '/rpc/echo']))
    const open = world.anon.schema('public') as unknown as typeof rest
    expect(Object.keys((await open.getOpenApiSpec()).data?.paths ?? {})).not.toContain('/secrets')
  })
})

describe('table.select', () => {
  test('refuses an embed without a relationship', async () => {
    expect((await db.from('languages').select('*, cities(*)')).error).toMatchObject({
      code: 'PGRST200',
      message: "Could not find a relationship between 'languages' and 'cities' in the schema cache",
      details:
        "Searched for a foreign key relationship between 'languages' and 'cities' in the schema 'public', but no matches were found.",
    })
  })
  test('refuses an ambiguous embed and names the relationships', async () => {
    expect(await db.from('flights').select('*, cities(*)')).toMatchObject({
      status: 300,
      error: {
        code: 'PGRST201',
        message: "Could not embed because more than one relationship was found for 'flights' and 'cities'",
        hint: "Try changing 'cities' to one of the following: 'cities!flight_from', 'cities!flight_to'. Find the desired relationship in the 'details' key.",
      },
    })
  })
  test('returns columns, aliases, casts, JSON and computed columns', async () => {
    const { data, error } = await db
      .from('cities')
      .select('id, town:name, population::text, facts->mayor->>name, sea:facts->sea, shout')
      .eq('name', 'Oslo')
    expect(error).toBeNull()
    expect(data).toEqual([{ id: 1, town: 'Oslo', population: '700000', name: 'Anne', sea: true, shout: 'OSLO' }])
  })
  test('embeds in both directions, with hints and aliases', async () => {
    expect((await db.from('cities').select('name, countries(name), mayors(name)').eq('id', 1).single()).data).toEqual({
      name: 'Oslo',
      countries: { name: 'Norway' },
      mayors: { name: 'Anne' },
    })
    expect(
      (await db.from('countries').select('languages(name)').eq('id', 2).order('id', { referencedTable: 'languages' }))
        .data,
    ).toEqual([{ languages: [{ name: 'Spanish' }, { name: 'Quechua' }] }])
    expect(
      (await db.from('flights').select('from:cities!flight_from(name), to:cities!flight_to(name)').eq('id', 1)).data,
    ).toEqual([{ from: { name: 'Oslo' }, to: { name: 'Bergen' } }])
  })
  test('counts exact, planned and estimated, with or without rows', async () => {
    const counted = await db.from('cities').select('*', { count: 'exact' }).limit(1)
    expect(counted).toMatchObject({ count: 4, status: 206, data: [{ id: 1 }] })
    expect(await db.from('cities').select('*', { count: 'exact', head: true }).eq('country_id', 1)).toMatchObject({
      count: 2,
      data: null,
      error: null,
    })
    expect((await db.from('cities').select('*', { count: 'estimated', head: true })).count).toBe(4)
    expect((await db.from('cities').select('*', { count: 'planned', head: true })).count).toBeGreaterThanOrEqual(0)
  })
})

describe('table.insert', () => {
  test('refuses a duplicate, a missing value, an unknown column and a broken reference', async () => {
    expect((await db.from('countries').insert({ id: 1, name: 'Again' })).error).toMatchObject({
      code: '23505',
      message: 'duplicate key value violates unique constraint "countries_pkey"',
      details: 'Key (id)=(1) already exists.',
      hint: null,
    })
    expect((await db.from('countries').insert({ id: 9 })).error).toMatchObject({ code: '23502' })
    expect(await db.from('cities').insert({ nope: 1 })).toMatchObject({
      status: 400,
      error: {
        code: 'PGRST204',
        message: "Could not find the 'nope' column of 'cities' in the schema cache",
      },
    })
    expect(await db.from('cities').insert({ name: 'X', country_id: 77 })).toMatchObject({
      status: 409,
      error: { code: '23503' },
    })
  })
  test('inserts one or many rows, with null or the default for missing values', async () => {
    expect(await db.from('countries').insert({ id: 9, name: 'Fiji' })).toMatchObject({
      status: 201,
      data: null,
      error: null,
    })
    const rows = [{ name: 'C' }, { name: 'D', note: 'x' }]
    expect((await db.from('cities').insert(rows).select('note')).data).toEqual([{ note: null }, { note: 'x' }])
    const filled = await db.from('cities').insert(rows, { defaultToNull: false, count: 'exact' }).select('note')
    expect(filled).toMatchObject({ count: 2, data: [{ note: 'none' }, { note: 'x' }] })
    expect((await db.from('cities').insert([]).select()).data).toEqual([])
  })
  test('inserts all rows or none', async () => {
    expect(
      (
        await db.from('countries').insert([
          { id: 20, name: 'A' },
          { id: 1, name: 'B' },
        ])
      ).error,
    ).not.toBeNull()
    expect((await db.from('countries').select().eq('id', 20)).data).toEqual([])
  })
})

describe('table.upsert', () => {
  test('refuses onConflict with columns that are not unique', async () => {
    const { error } = await db.from('cities').upsert({ id: 1, name: 'Oslo' }, { onConflict: 'name' })
    expect(error).toMatchObject({ code: '42P10' })
  })
  test('replaces existing rows', async () => {
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
    const second = await db.from('countries').upsert({ id: 1, name: 'Noreg' }, { count: 'exact' }).select()
    expect(second).toMatchObject({ status: 200, count: 1, data: [{ id: 1, name: 'Noreg' }] })
  })
  test('with ignoreDuplicates leaves existing rows unchanged', async () => {
    const ignored = await db
      .from('countries')
      .upsert({ id: 77, name: 'Peru' }, { onConflict: 'name', ignoreDuplicates: true })
      .select()
    expect(ignored.data).toEqual([])
  })
})

describe('table.update', () => {
  test('refuses a whole table without a filter', async () => {
    expect(await db.from('cities').update({ note: 'x' })).toMatchObject({
      status: 400,
      error: { code: '21000', message: 'UPDATE requires a WHERE clause' },
    })
  })
  test('refuses a value that violates its domain', async () => {
    expect(
      (
        await db
          .from('cities')
          .update({ note: 'x'.repeat(30) })
          .eq('id', 1)
      ).error,
    ).toMatchObject({ code: '23514' })
  })
  test('updates and counts the matching rows', async () => {
    const update = await db
      .from('cities')
      .update({ note: 'new', facts: { a: [1, 2] }, tags: ['x'] }, { count: 'exact' })
      .eq('country_id', 1)
      .select('id, note, facts, tags')
      .order('id')
    expect(update).toMatchObject({
      status: 200,
      count: 2,
      data: [
        { id: 1, note: 'new', facts: { a: [1, 2] }, tags: ['x'] },
        { id: 2, note: 'new', facts: { a: [1, 2] }, tags: ['x'] },
      ],
    })
    expect(await db.from('cities').update({ note: 'x' }).eq('id', 1)).toMatchObject({
      status: 204,
      data: null,
      error: null,
    })
    expect((await db.from('big_cities').update({ name: 'Oslo!' }).eq('id', 1).select('name')).data).toEqual([
      { name: 'Oslo!' },
    ])
  })
})

describe('table.delete', () => {
  test('refuses a whole table without a filter', async () => {
    expect((await db.from('cities').delete()).error).toMatchObject({ code: '21000' })
  })
  test('refuses rows that others reference', async () => {
    expect(await db.from('countries').delete().eq('id', 1)).toMatchObject({ status: 409, error: { code: '23503' } })
  })
  test('deletes, counts and returns the matching rows', async () => {
    expect((await db.from('flights').delete({ count: 'exact' }).in('id', [1, 2])).count).toBe(2)
    expect((await db.from('cities').delete().eq('id', 4).select('name').single()).data).toEqual({ name: 'Cusco' })
  })
})
