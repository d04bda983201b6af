import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// A request is one transaction: its role, what functions learn of the request and may change in the response, and which settings apply.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld([
    '--rest-pre-request=public.check_request',
    '--rest-server-timing-enabled=true',
    '--rest-statement-timeout-ms=2000',
  ])
})

beforeEach(() => world.reset())

afterAll(() => world?.[Symbol.asyncDispose]())

async function about(headers: Record<string, string> = {}, as: 'service' | 'anon' = 'service'): Promise<unknown> {
  return (await world.http('/rpc/about_request', { headers, as })).body
}

describe('the transaction of a request', () => {
  test('a pre-request function may refuse any request', async () => {
    for (const path of ['/countries', '/rpc/no_args', '/']) {
      const answer = await world.http(path, { headers: { 'x-refuse': 'yes' } })
      expect(answer).toMatchObject({
        status: 429,
        statusText: 'Too Many Requests',
        body: { code: 'PT429', message: 'Too Many Requests', details: 'wait', hint: null },
      })
    }
    const write = await world.http('/countries', {
      method: 'POST',
      body: { id: 9, name: 'x' },
      headers: { 'x-refuse': 'yes' },
    })
    expect(write.status).toBe(429)
    expect(await world.run('select * from countries where id = 9')).toEqual([])
  })

  test('a pre-request function may add headers', async () => {
    expect((await world.http('/countries', { headers: { 'x-mark': 'yes' } })).headers.get('x-marked')).toBe('1')
  })

  test('runs with the role and claims of the token', async () => {
    expect(await about()).toMatchObject({ role: 'service_role', claim: 'service_role' })
    expect(await about({}, 'anon')).toMatchObject({ role: 'anon', claim: 'anon' })
  })

  test('exposes method, path, headers and cookies to functions', async () => {
    expect(await about({ 'x-agent': 'curl', cookie: 'taste=sweet; other=1' })).toMatchObject({
      method: 'GET',
      path: '/rpc/about_request',
      agent: 'curl',
      cookie: 'sweet',
    })
  })

  test('uses the preferred time zone, by name or offset, and refuses an unknown one', async () => {
    const { body, headers } = await world.http('/rpc/about_request', { headers: { prefer: 'timezone=Asia/Tokyo' } })
    expect(body).toMatchObject({ timezone: 'Asia/Tokyo' })
    expect(headers.get('preference-applied')).toBe('timezone=Asia/Tokyo')
    for (const offset of ['+05:30', '-4', '05:30']) {
      const headers = { prefer: `handling=strict, timezone=${offset}` }
      const answer = await world.http('/countries', { headers })
      expect(answer.status, offset).toBe(200)
      expect(answer.headers.get('preference-applied')).toBe(`handling=strict, timezone=${offset}`)
    }
    for (const handling of ['', 'handling=strict, ', 'handling=lenient, ']) {
      const refused = await world.http('/countries', { headers: { prefer: `${handling}timezone=Jupiter/Red_Spot` } })
      expect(refused).toMatchObject({
        status: 400,
        body: { code: '22023', message: 'invalid value for parameter "TimeZone": "Jupiter/Red_Spot"' },
      })
    }
  })

  test.each([
    ['malformed JSON', 'soup'],
    ['an object', '{"X-A":"1"}'],
    ['two names in one object', '[{"X-A":"1","X-B":"2"}]'],
    ['a value that is not text', '[{"X-A":1}]'],
    ['a name with a space', '[{"X A":"1"}]'],
    ['a value with a line break', '[{"X-A":"1\\r\\nX-B: 2"}]'],
    ['a value with control characters', '[{"X-A":"\\u0007"}]'],
    ['a Content-Length', '[{"Content-Length":"3"}]'],
  ])("refuses a function's headers: %s", async (_title, headers) => {
    const { status, body } = await world.http('/rpc/answer_with', { method: 'POST', body: { status: null, headers } })
    expect([status, body]).toEqual([
      500,
      {
        code: 'PGRST111',
        details: null,
        hint: null,
        message: 'response.headers guc must be a JSON array composed of objects with a single key and a string value',
      },
    ])
    expect(await world.run('select * from answered')).toEqual([])
  })

  test('rolls back if a function or trigger sets an invalid header', async () => {
    const headers = JSON.stringify([{ 'X-Note': 'one\r\nSet-Cookie: a=1' }])
    const called = await world.service.rpc('answer_with', { status: '', headers })
    const read = await world.service.rpc('answer_with', { status: '', headers }, { get: true })
    const inserted = await world.service.from('marked').insert({ id: 1, headers }).select().single()
    const upserted = await world.service.from('marked').upsert({ id: 2, headers })
    expect([called, read, inserted, upserted].map(({ status, error }) => [status, error?.code])).toEqual(
      Array.from({ length: 4 }, () => [500, 'PGRST111']),
    )
    const status = await world.service.rpc('answer_with', { status: '99', headers: '' })
    expect([status.status, status.error?.code]).toEqual([500, 'PGRST112'])
    expect(await world.run('select headers from answered union all select headers from marked')).toEqual([])
    const fine = await world.service.from('marked').insert({ id: 1, headers: '[{"X-Note": "one\\ttwo"}]' })
    expect(fine.status).toBe(201)
    expect(await world.run('select id from marked')).toEqual([{ id: 1 }])
  })

  test("refuses a function's invalid status", async () => {
    const { status, body } = await world.http('/rpc/answer_with', {
      method: 'POST',
      body: { status: 'fine', headers: null },
    })
    expect([status, body]).toMatchObject([
      500,
      { code: 'PGRST112', message: 'response.status guc must be a valid status code' },
    ])
  })

  test('returns the status and headers that a function sets', async () => {
    const headers = JSON.stringify([
      { 'X-One': '1' },
      { 'Cache-Control': 'max-age=9' },
      { 'Set-Cookie': 'a=1' },
      { 'Set-Cookie': 'b=2' },
      { 'X-Name': '日本' },
    ])
    const answer = await world.http('/rpc/answer_with', { method: 'POST', body: { status: '202', headers } })
    expect([answer.status, answer.body]).toEqual([202, 'done'])
    expect(answer.headers.get('x-one')).toBe('1')
    expect(answer.headers.get('cache-control')).toBe('max-age=9')
    expect(Buffer.from(answer.headers.get('x-name') ?? '', 'latin1').toString()).toBe('日本')
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  test('times out, unless the function sets a longer timeout', async () => {
    expect(await world.http('/rpc/sleepy', { method: 'POST' })).toMatchObject({
      status: 500,
      body: { code: '57014', message: 'canceling statement due to statement timeout' },
    })
    expect((await world.http('/rpc/patient', { method: 'POST' })).body).toBe('3s')
  })

  test("uses the role's statement timeout", async () => {
    await world.run(`alter role anon set statement_timeout = '150ms'; notify pgrst, 'reload config'`)
    try {
      await expect
        .poll(
          async () => {
            const started = Date.now()
            const { body } = await world.http('/rpc/sleepy', { method: 'POST', as: 'anon' })
            return (body as { code?: string }).code === '57014' && Date.now() - started < 1500
          },
          { timeout: 60_000 },
        )
        .toBe(true)
    } finally {
      await world.run(`alter role anon reset statement_timeout; notify pgrst, 'reload config'`)
    }
  })

  test('leaks no setting to the next request', async () => {
    await world.run(
      `create or replace function stain() returns void language sql as $$ select set_config('work_mem', '77MB', false), set_config('role', 'anon', false) $$`,
    )
    await expect.poll(async () => (await world.http('/rpc/stain', { method: 'POST' })).status).toBe(204)
    const answers = await Promise.all(Array.from({ length: 20 }, () => about()))
    expect(new Set(answers.map((answer) => (answer as { role: string }).role))).toEqual(new Set(['service_role']))
  })

  test('ends before a slow client has read the response', async () => {
    const url = `${world.url}/rest/v1/rpc/many_rows`
    const key = world.keyOf('service')
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(url, { headers: { apikey: key } })))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    // No client has read a body yet, but a connection is free for the next request and none is in a transaction.
    const open = `select count(*)::int as n from pg_stat_activity where xact_start is not null and pid <> pg_backend_pid()
                   and datname = current_database() and usename = 'authenticator'`
    await expect.poll(() => world.run(open)).toEqual([{ n: 0 }])
    expect((await world.http('/rpc/no_args')).body).toBe(7)
    await Promise.all(answers.map(async ({ body }) => body?.cancel()))
  })

  test('returns Server-Timing, if enabled', async () => {
    const timing = (await world.http('/countries?limit=1')).headers.get('server-timing')
    expect(timing).toMatch(
      /^jwt;dur=[\d.]+, parse;dur=[\d.]+, plan;dur=[\d.]+, transaction;dur=[\d.]+, response;dur=[\d.]+$/,
    )
  })
})

describe('configuration in the database', () => {
  test("is read from the connecting role's settings, and again on NOTIFY", async () => {
    expect((await world.http('/countries?select=id.sum()')).body).toMatchObject({ code: 'PGRST123' })
    await world.run(`alter role authenticator set pgrst.db_aggregates_enabled = 'true'; notify pgrst, 'reload config'`)
    await expect.poll(async () => (await world.http('/countries?select=id.sum()')).body).toEqual([{ sum: 6 }])
    await world.run(`alter role authenticator reset pgrst.db_aggregates_enabled; notify pgrst, 'reload config'`)
    await expect.poll(async () => (await world.http('/countries?select=id.sum()')).status).toBe(400)
  })
})

describe('the schema cache', () => {
  test('follows schema changes at once', async () => {
    await world.run('create table later (id int primary key, country int references countries)')
    await expect.poll(async () => (await world.http('/later?select=id,countries(name)')).status).toBe(200)
    await world.run('alter table later add column extra text')
    await expect
      .poll(async () => (await world.http('/later', { method: 'POST', body: { id: 1, extra: 'x' } })).status)
      .toBe(201)
    await world.run('drop table later')
    await expect.poll(async () => (await world.http('/later')).status).toBe(404)
  })

  test('is reloaded on NOTIFY', async () => {
    await world.run(`notify pgrst, 'reload schema'`)
    await world.run(`notify pgrst`)
    expect((await world.http('/countries?limit=1')).status).toBe(200)
  })
})
