import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseCsv } from '../src/request/csv.ts'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// The built-in forms of an answer, and the one that is chosen when a client accepts several.

let world: RestWorld
let open: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
  open = await openRestWorld({ restPlanEnabled: true })
})

afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await open?.[Symbol.asyncDispose]()
})

const JSON_TYPE = 'application/json; charset=utf-8'
const OBJECT = 'application/vnd.pgrst.object+json'

describe('types that cannot be made', () => {
  test.each([
    ['text/html', 'text/html'],
    ['text/plain', 'text/plain'],
    ['text/xml, application/octet-stream;q=0.5', 'text/xml, application/octet-stream'],
    ['image/png ; level=1', 'image/png;level=1'],
    ['undefined', 'undefined'],
    ['application/json;q=0', ''],
    ['application/geo+json', 'application/geo+json'],
    ['application/vnd.pgrst.plan', 'application/vnd.pgrst.plan+text; for="application/json"'],
    [
      'application/vnd.pgrst.plan+json;for="text/csv";options=analyze',
      'application/vnd.pgrst.plan+json; for="text/csv"; options=analyze',
    ],
  ])('%s', async (accept, list) => {
    const refusal = {
      status: 406,
      body: {
        code: 'PGRST107',
        message: `None of these media types are available: ${list}`,
        details: null,
        hint: null,
      },
    }
    expect(await world.ask('/clients', { headers: { accept } })).toMatchObject(refusal)
    expect(await world.ask('/rpc/add?a=1', { headers: { accept } })).toMatchObject(refusal)
    const write = await world.ask('/clients', { method: 'POST', body: { id: 800, name: 'x' }, headers: { accept } })
    expect(write).toMatchObject(refusal)
    expect(await world.rows('select * from clients where id = 800')).toEqual([])
  })

  test('an unknown table comes before the type, and the type before invalid preferences', async () => {
    const headers = { accept: 'text/html', prefer: 'handling=strict, nonsense' }
    expect(await world.ask('/nothing', { headers })).toMatchObject({ status: 404, body: { code: 'PGRST205' } })
    expect(await world.ask('/clients', { headers })).toMatchObject({ status: 406, body: { code: 'PGRST107' } })
    expect(await world.ask('/clients', { headers: { ...headers, accept: '*/*' } })).toMatchObject({
      status: 400,
      body: { code: 'PGRST122', details: 'Invalid preferences: nonsense' },
    })
  })
})

describe('agreeing', () => {
  test.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', JSON_TYPE],
    ['text/plain, application/json', JSON_TYPE],
    ['text/csv;q=0.2, application/json;q=0.1', 'text/csv; charset=utf-8'],
    ['text/csv, application/json', 'text/csv; charset=utf-8'],
    ['*/*, text/csv', 'text/csv; charset=utf-8'],
    ['application/*', JSON_TYPE],
    ['APPLICATION/JSON; charset=latin1', JSON_TYPE],
    ['application/vnd.pgrst.array+json', JSON_TYPE],
    ['application/vnd.pgrst.array;nulls=stripped', 'application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8'],
    [`${OBJECT};nulls=stripped`, `${OBJECT};nulls=stripped; charset=utf-8`],
    ['application/vnd.pgrst.object', `${OBJECT}; charset=utf-8`],
  ])('%s gives %s', async (accept, type) => {
    const { status, headers } = await world.ask('/clients?id=eq.1', { headers: { accept } })
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type })
    const head = await world.ask('/clients?id=eq.1', { method: 'HEAD', headers: { accept } })
    expect({ status: head.status, type: head.headers['content-type'] }).toEqual({ status: 200, type })
    expect(head.headers['content-length']).toBeUndefined()
  })

  test('nothing is as good as anything', async () => {
    expect((await world.ask('/clients?id=eq.1', { headers: { accept: '' } })).headers['content-type']).toBe(JSON_TYPE)
  })
})

describe('one object', () => {
  test.each([0, 2])('is not made of %i rows, whoever made them, and nothing of them is kept', async (rows) => {
    const refusal = {
      status: 406,
      body: {
        code: 'PGRST116',
        message: 'Cannot coerce the result to a single JSON object',
        details: `The result contains ${rows} rows`,
        hint: null,
      },
    }
    const path = `/clients?id=in.(${rows === 0 ? '' : '1,2'})`
    const headers = { accept: OBJECT, prefer: 'return=representation' }
    expect(await world.ask(path, { headers })).toMatchObject(refusal)
    expect(await world.ask(path, { method: 'PATCH', body: { name: 'x' }, headers })).toMatchObject(refusal)
    expect(await world.ask(path, { method: 'PATCH', body: { name: 'x' }, headers: { accept: OBJECT } })).toMatchObject(
      refusal,
    )
    expect(await world.ask('/rpc/all_clients?id=in.(' + (rows === 0 ? '' : '1,2') + ')', { headers })).toMatchObject(
      refusal,
    )
    const body =
      rows === 0
        ? []
        : [
            { id: 810, name: 'x' },
            { id: 811, name: 'y' },
          ]
    expect(await world.ask('/clients', { method: 'POST', body, headers })).toMatchObject(refusal)
    expect(await world.rows(`select id from clients where name in ('x', 'y')`)).toEqual([])
  })

  test('is made of one row, with its nulls or without', async () => {
    const full = (await world.ask('/projects?id=eq.2&select=id,budget,briefs(text)', { headers: { accept: OBJECT } }))
      .body
    expect(full).toEqual({ id: 2, budget: null, briefs: null })
    const accept = `${OBJECT};nulls=stripped`
    expect((await world.ask('/projects?id=eq.2&select=id,budget,briefs(text)', { headers: { accept } })).body).toEqual({
      id: 2,
    })
    expect((await world.ask('/rpc/one_client?which=2', { headers: { accept } })).body).toEqual({ id: 2, name: 'Beta' })
    const patched = await world.ask('/projects?id=eq.2&select=id,budget', {
      method: 'PATCH',
      body: { done: false },
      headers: { accept, prefer: 'return=representation' },
    })
    expect(patched).toMatchObject({ status: 200, body: { id: 2 } })
  })
})

describe('an array', () => {
  test('without nulls, also inside of it', async () => {
    const accept = 'application/vnd.pgrst.array+json;nulls=stripped'
    const path = '/projects?select=id,budget,tasks(id,parent_id)&tasks.order=id&order=id&limit=2'
    expect((await world.ask(path, { headers: { accept } })).body).toEqual([
      { id: 1, budget: 100.5, tasks: [{ id: 1 }, { id: 2, parent_id: 1 }] },
      { id: 2, tasks: [{ id: 3, parent_id: 1 }] },
    ])
    expect((await world.ask('/clients?id=lt.0', { headers: { accept } })).body).toEqual([])
  })
})

describe('CSV', () => {
  test('has a header of the selected columns, quotes values that need it, and writes null as nothing', async () => {
    const headers = { accept: 'text/csv', prefer: 'return=representation' }
    const body = { id: 820, name: 'a, "b"' }
    const inserted = await world.ask('/clients?select=name,projects(id)', { method: 'POST', body, headers })
    expect(inserted).toMatchObject({ status: 201, text: 'name,projects\n"a, ""b""",[]' })
    await world.rows('delete from clients where id = 820')
    expect((await world.ask('/projects?select=id,budget&order=id', { headers })).text).toBe(
      'id,budget\n1,100.50\n2,\n3,20.00',
    )
    expect((await world.ask('/clients?id=lt.0', { headers })).text).toBe('\n')
  })

  test('has each value as Postgres writes it, and each name as it is, with backslashes, quotes and line breaks', async () => {
    const header = ['id', 'a, "b"', String.raw`back\slash`, 'line\nbreak', 'meta']
    const values = ['1', 'C:\\new\\', '\\"x"\\', 'one\ntwo', String.raw`{"k": "a\"b\\c"}`]
    const columns = header.slice(1, 4).map((name) => `"${name.replaceAll('"', '""')}" text`)
    await world.rows(`
      create table labelled (id int primary key, ${columns.join(', ')}, meta json);
      insert into labelled values (${values.map((value) => `'${value}'`).join(', ')})`)
    await world.refresh()
    const { text } = await world.ask('/labelled', { headers: { accept: 'text/csv' } })
    expect(parseCsv(text)).toEqual([header, values])
  })
})

describe('plans', () => {
  const plan = (path: string, accept: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE' = 'GET', body?: unknown) =>
    open.ask(path, { method, headers: { accept }, ...(body === undefined ? {} : { body }) })

  test('are not made of plans', async () => {
    const accept = 'application/vnd.pgrst.plan;for="application/vnd.pgrst.plan"'
    expect(await plan('/clients', accept)).toMatchObject({ status: 406, body: { code: 'PGRST107' } })
  })

  test('are text by default, and JSON when asked', async () => {
    const text = await plan('/clients?id=eq.1', 'application/vnd.pgrst.plan')
    expect(text).toMatchObject({ status: 200 })
    expect(text.text).toMatch(/^Aggregate .*\n/)
    expect(text.headers['content-type']).toBe('application/vnd.pgrst.plan+text; for="application/json"; charset=utf-8')
    const json = await plan('/clients?id=eq.1', 'application/vnd.pgrst.plan+json; options=verbose|settings|buffers')
    expect(json.body).toMatchObject([
      {
        Plan: { 'Node Type': 'Aggregate', Output: expect.any(Array) as unknown },
        Settings: { search_path: expect.any(String) as unknown },
      },
    ])
    expect(json.headers['content-type']).toBe(
      'application/vnd.pgrst.plan+json; for="application/json"; options=verbose|settings|buffers; charset=utf-8',
    )
    expect(Number(json.headers['content-length'])).toBeGreaterThan(0)
  })

  test('are of what would be answered', async () => {
    const accept = (type: string) => `application/vnd.pgrst.plan+json; for="${type}"; options=verbose`
    const outputOf = async (type: string) => JSON.stringify((await plan('/clients', accept(type))).body)
    expect(await outputOf(OBJECT)).toContain('-> 0')
    expect(await outputOf('text/csv')).toContain('string_agg')
    expect((await plan('/clients', accept(OBJECT))).headers['content-type']).toContain(`for="${OBJECT}"`)
  })

  test('of writes write nothing unless they are analyzed', async () => {
    const accept = 'application/vnd.pgrst.plan+json'
    const body = { id: 830, name: 'planned' }
    for (const [path, method, payload] of [
      ['/clients', 'POST', body],
      ['/clients?id=eq.830', 'PUT', body],
      ['/clients?id=eq.1', 'DELETE', undefined],
      ['/rpc/put_client', 'POST', { new_id: 830 }],
    ] as const) {
      const answer = await plan(path, accept, method, payload)
      expect(answer).toMatchObject({ status: 200, body: [{ Plan: { 'Node Type': 'Aggregate' } }] })
    }
    expect(await open.rows('select id from clients where id in (1, 830)')).toEqual([{ id: 1 }])
    const analyzed = await plan('/clients', `${accept}; options=analyze|wal`, 'POST', body)
    expect(analyzed.body).toMatchObject([{ 'Execution Time': expect.any(Number) as unknown }])
    expect(await open.rows('select id from clients where id = 830')).toEqual([{ id: 830 }])
  })

  test('show that a function was inlined', async () => {
    const answer = await plan('/rpc/all_clients?id=eq.1', 'application/vnd.pgrst.plan')
    expect(answer.text).not.toContain('all_clients')
  })
})
