import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// Invariant: a write is kept whole or not at all, also when only its result is refused.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
})

afterAll(() => world?.[Symbol.asyncDispose]())

describe('writing', () => {
  const full = { prefer: 'return=representation' }

  test('inserts and answers nothing, the row, or its address', async () => {
    expect(await world.ask('/tasks', { method: 'POST', body: { title: 'a' } })).toMatchObject({ status: 201, text: '' })
    const row = await world.ask('/tasks?select=title,rank,projects(name)', {
      method: 'POST',
      body: { title: 'b', project_id: 1 },
      headers: full,
    })
    expect(row).toMatchObject({ status: 201, body: [{ title: 'b', rank: 7, projects: { name: 'Roof' } }] })
    const address = await world.ask('/tasks', {
      method: 'POST',
      body: { id: 50, title: 'c' },
      headers: { prefer: 'return=headers-only' },
    })
    expect(address).toMatchObject({ status: 201, text: '', headers: { location: '/tasks?id=eq.50' } })
    await world.rows('delete from tasks where id >= 50')
  })

  test('inserts many; a missing key is null, or the default when asked', async () => {
    const path = '/tasks?columns=title,rank&select=title,rank'
    const body = [{ title: 'a', rank: 1 }, { title: 'b' }]
    expect((await world.ask(path, { method: 'POST', body, headers: full })).body).toMatchObject({ code: '23502' })
    const headers = { prefer: 'return=representation, missing=default' }
    const answer = await world.ask(path, { method: 'POST', body, headers })
    expect(answer).toMatchObject({
      status: 201,
      body: [
        { title: 'a', rank: 1 },
        { title: 'b', rank: 7 },
      ],
    })
    expect(answer.headers['preference-applied']).toBe('missing=default, return=representation')
    const identity = await world.ask('/tasks?columns=id,title&select=title', {
      method: 'POST',
      body: [{ title: 'c' }],
      headers,
    })
    expect(identity).toMatchObject({ status: 201, body: [{ title: 'c' }] })
    expect((await world.ask('/tasks', { method: 'POST', body: [], headers: full })).body).toEqual([])
    await world.rows('delete from tasks where id >= 50')
  })

  test('keeps every digit of a number', async () => {
    const headers = { prefer: 'return=representation' }
    const raw =
      '{"id":70,"name":"n","owner":"a11ce000-0000-4000-8000-000000000001","meta":{"big":12345678901234567890.123}}'
    const { text } = await world.ask('/projects?select=meta', { method: 'POST', raw, headers })
    expect(text).toContain('12345678901234567890.123')
    await world.rows('delete from projects where id = 70')
  })

  test('merges or ignores duplicates, and says whether anything was new', async () => {
    const merge = { prefer: 'resolution=merge-duplicates, return=representation' }
    const body = [{ id: 1, name: 'Acme 2' }]
    expect(await world.ask('/clients', { method: 'POST', body, headers: merge })).toMatchObject({ status: 200, body })
    const mixed = [
      { id: 1, name: 'Acme' },
      { id: 60, name: 'New' },
    ]
    expect(await world.ask('/clients', { method: 'POST', body: mixed, headers: merge })).toMatchObject({
      status: 201,
      body: mixed,
    })
    const ignore = { prefer: 'resolution=ignore-duplicates, return=representation' }
    expect(
      (await world.ask('/clients', { method: 'POST', body: [{ id: 60, name: 'no' }], headers: ignore })).body,
    ).toEqual([])
    const byName = await world.ask('/people?on_conflict=name', {
      method: 'POST',
      body: [{ id: 9, name: 'Ann' }],
      headers: ignore,
    })
    expect(byName.body).toEqual([])
    await world.rows('delete from clients where id = 60')
  })

  test('updates and deletes what the filters name', async () => {
    await world.rows(`insert into tasks (id, title) values (51, 'x'), (52, 'y'), (53, 'z')`)
    const update = await world.ask('/tasks?id=in.(51,52)&select=id,rank&order=id', {
      method: 'PATCH',
      body: { rank: 3 },
      headers: { prefer: 'return=representation, count=exact' },
    })
    expect(update).toMatchObject({
      status: 200,
      body: [
        { id: 51, rank: 3 },
        { id: 52, rank: 3 },
      ],
      headers: { 'content-range': '0-1/2' },
    })
    expect(await world.ask('/tasks?or=(id.eq.53,id.eq.52)', { method: 'DELETE' })).toMatchObject({
      status: 204,
      text: '',
    })
    expect(await world.ask('/tasks?id=eq.51', { method: 'PATCH', body: {}, headers: full })).toMatchObject({
      status: 200,
      body: [],
    })
    expect((await world.ask('/tasks?id=eq.51&select=id', { method: 'DELETE', headers: full })).body).toEqual([
      { id: 51 },
    ])
  })

  test('keeps nothing when more rows than allowed are touched, or not exactly one object answers', async () => {
    const many = { prefer: 'handling=strict, max-affected=1' }
    expect(await world.ask('/tasks?id=lt.3', { method: 'PATCH', body: { rank: 99 }, headers: many })).toMatchObject({
      status: 400,
      body: { code: 'PGRST124' },
    })
    const single = { accept: 'application/vnd.pgrst.object+json', ...full }
    expect(await world.ask('/tasks?id=lt.3', { method: 'PATCH', body: { rank: 99 }, headers: single })).toMatchObject({
      status: 406,
      body: { code: 'PGRST116', details: 'The result contains 2 rows' },
    })
    expect(await world.ask('/tasks?id=eq.2', { method: 'DELETE', headers: { prefer: 'tx=rollback' } })).toMatchObject({
      status: 204,
    })
    expect(await world.rows('select count(*)::int as n from tasks where rank = 99 or id < 3')).toEqual([{ n: 2 }])
    expect(await world.ask('/tasks?id=eq.1', { method: 'PATCH', body: { rank: 7 }, headers: single })).toMatchObject({
      status: 200,
      body: { id: 1, rank: 7 },
    })
  })

  test('puts exactly the row that the address names', async () => {
    expect(
      await world.ask('/people?id=eq.5', { method: 'PUT', body: { id: 5, name: 'Eve' }, headers: full }),
    ).toMatchObject({
      status: 201,
      body: [{ id: 5, name: 'Eve' }],
    })
    expect(await world.ask('/people?id=eq.5', { method: 'PUT', body: { id: 5, name: 'Eva' } })).toMatchObject({
      status: 204,
    })
    expect(await world.ask('/people?id=eq.5', { method: 'PUT', body: { id: 6, name: 'Eva' } })).toMatchObject({
      status: 400,
      body: { code: 'PGRST115' },
    })
    expect(await world.ask('/people?name=eq.x', { method: 'PUT', body: { id: 6, name: 'x' } })).toMatchObject({
      status: 405,
      body: { code: 'PGRST105' },
    })
    expect(await world.rows('select name from people where id > 2')).toEqual([{ name: 'Eva' }])
    await world.rows('delete from people where id > 2')
  })
})
