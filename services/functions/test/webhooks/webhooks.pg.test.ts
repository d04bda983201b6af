import { describe, expect, test } from 'vitest'
import { runAs, sql } from '@holdfast/postgres'
import {
  db,
  openReceiver,
  post,
  project,
  queued,
  responseTo,
  start,
  wakeAll,
  withWebhooksWorld,
} from './webhooks-world.ts'

withWebhooksWorld()

// What the database asks for is sent after its commit, at least once, and what came of it can be read. Postgres is real, and so are receivers.

describe('a request', () => {
  test('arrives with its method, parameters, headers and body, and its response is kept', async () => {
    const receiver = await openReceiver((response) => {
      response.writeHead(201, { 'content-type': 'application/json', 'x-answer': 'yes' }).end('{"done":true}')
    })
    const [row] = await project.query<{ id: string }>(sql`
      select net.http_post(url := ${`${receiver.url}/a?b=1`}, body := '{"n": 1}', params := '{"key": "ä &=", "k2": "x"}',
                           headers := '{"X-Key": "secret"}', timeout_milliseconds := 9000)::text as id`)
    start()
    await expect
      .poll(() => responseTo(row?.id ?? ''))
      .toMatchObject({
        status_code: 201,
        content_type: 'application/json',
        headers: { 'x-answer': 'yes' },
        content: '{"done":true}',
        error_msg: null,
      })
    expect(receiver.received).toMatchObject([
      {
        method: 'POST',
        url: '/a?b=1&k2=x&key=%C3%A4%20%26%3D',
        headers: { 'x-key': 'secret', 'content-type': 'application/json', host: `127.0.0.1:${receiver.port}` },
        body: '{"n": 1}',
      },
    ])
    expect(await queued()).toBe(0)
    const [collected] = await project.query(sql`select (net.http_collect_response(${row?.id}::bigint)).*`)
    expect(collected).toMatchObject({ status: 'SUCCESS', message: 'ok' })
  })

  test('is a GET or a DELETE by the functions of that name', async () => {
    const receiver = await openReceiver()
    await project.query(
      sql`select net.http_get(${receiver.url}, '{"a": 1}'), net.http_delete(${receiver.url}, body := '{"b": 2}')`,
    )
    start()
    await expect.poll(() => receiver.received.length).toBe(2)
    expect(
      receiver.received
        .map(({ method, url, body }) => ({ method, url, body }))
        .toSorted((a, b) => (a.body < b.body ? -1 : 1)),
    ).toEqual([
      { method: 'GET', url: '/?a=1', body: '' },
      { method: 'DELETE', url: '/', body: '{"b": 2}' },
    ])
  })

  test('is not sent when its transaction is rolled back', async () => {
    const receiver = await openReceiver()
    const webhooks = start()
    const failed = project.transaction(async (tx) => {
      await tx.query(sql`select net.http_post(${receiver.url}, '{"n": "never"}')`)
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    const id = await post(receiver.url, { n: 'later' })
    webhooks.wake()
    await expect.poll(() => responseTo(id)).toMatchObject({ status_code: 200 })
    expect(receiver.received.map(({ body }) => body)).toEqual(['{"n": "later"}'])
  })

  test('is announced to the servers once its transaction commits', async () => {
    await db.pool.withClient(async (client) => {
      const notified: string[] = []
      client.on('notification', ({ channel }) => notified.push(channel))
      await client.query('listen holdfast_webhooks')
      await post('https://public.example/')
      await expect.poll(() => notified).toEqual(['holdfast_webhooks'])
    })
  })

  test('is sent again until it is answered, and every failure can be read meanwhile', async () => {
    const receiver = await openReceiver((response, count) => {
      if (count === 1) response.destroy()
      else response.writeHead(count === 2 ? 503 : 200).end()
    })
    const id = await post(receiver.url)
    start()
    await expect.poll(() => responseTo(id)).toMatchObject({ status_code: null, error_msg: 'socket hang up' })
    const [waiting] = await project.query(sql`select attempts, last_error from net.http_request_queue`)
    expect(waiting).toMatchObject({ attempts: 1, last_error: 'socket hang up' })
    // The next attempts come at once.
    await expect
      .poll(async () => {
        await db.pool.execute(
          sql`update net.http_request_queue set due_at = now() where last_error is not null and due_at < now() + '8 s'`,
        )
        wakeAll()
        return responseTo(id)
      })
      .toMatchObject({ status_code: 200, error_msg: null })
    expect(receiver.received).toHaveLength(3)
    expect(await queued()).toBe(0)
  })

  test('is given up after the last attempt', async () => {
    const id = await post('http://127.0.0.1:1/')
    start({ attempts: 1 })
    await expect
      .poll(() => responseTo(id))
      .toMatchObject({ status_code: null, timed_out: false, error_msg: expect.stringContaining('ECONNREFUSED') })
    expect(await queued()).toBe(0)
    const [collected] = await project.query(sql`select (net.http_collect_response(${id}::bigint)).status`)
    expect(collected).toEqual({ status: 'ERROR' })
  })

  test('ends after its own time', async () => {
    const receiver = await openReceiver(() => undefined)
    const [row] = await project.query<{ id: string }>(
      sql`select net.http_get(${receiver.url}, timeout_milliseconds := 50)::text as id`,
    )
    start({ attempts: 1 })
    await expect
      .poll(() => responseTo(row?.id ?? ''))
      .toMatchObject({ timed_out: true, error_msg: 'Timeout of 50 ms reached' })
  })

  test('is sent again by another server when the one that sent it has died', async () => {
    const receiver = await openReceiver()
    const id = await post(receiver.url)
    // As a server leaves it that was killed while sending.
    await db.pool.execute(sql`update net.http_request_queue set attempts = 1, due_at = now() + '100 ms'`)
    start()
    await expect.poll(() => responseTo(id)).toMatchObject({ status_code: 200 })
  })

  test('is cancelled by deleting it', async () => {
    const receiver = await openReceiver()
    await post(receiver.url)
    await project.execute(sql`delete from net.http_request_queue`)
    const id = await post(receiver.url)
    start()
    await expect.poll(() => responseTo(id)).toMatchObject({ status_code: 200 })
    expect(receiver.received).toHaveLength(1)
  })

  test('has of a long answer only the first MiB', async () => {
    const receiver = await openReceiver((response) => response.end(Buffer.alloc(3_000_000, 'a')))
    const id = await post(receiver.url)
    start()
    await expect.poll(async () => (await responseTo(id))?.content?.length).toBe(1_048_576)
  })
})

describe('what may not be reached', () => {
  test.each([
    'http://127.0.0.1:1/',
    'http://localhost:1/',
    'http://169.254.169.254/latest/',
    'http://[::ffff:127.0.0.1]/',
    'http://0x7f.1/',
    'http://[fe80::1]/',
  ])('%s is refused, once and for all', async (url) => {
    const id = await post(url)
    start({ allow: [] })
    await expect
      .poll(async () => (await responseTo(id))?.error_msg)
      .toMatch(/is not a public address: name it in webhooksAllow/)
    expect(await queued()).toBe(0)
  })

  test('is not reached by a redirect either, which takes no keys along', async () => {
    const target = await openReceiver()
    const receiver = await openReceiver((response) => response.writeHead(307, { location: 'http://[::1]:1/' }).end())
    const other = await openReceiver((response) => response.writeHead(302, { location: target.url }).end())
    const id = await post(receiver.url)
    const followed = await post(
      other.url,
      { a: 1 },
      { Authorization: 'Bearer secret', 'Content-Type': 'application/json' },
    )
    start()
    await expect.poll(async () => (await responseTo(id))?.error_msg).toMatch(/^::1 is not a public address/)
    await expect.poll(() => responseTo(followed)).toMatchObject({ status_code: 200 })
    expect(target.received).toMatchObject([{ method: 'GET', body: '' }])
    expect(target.received[0]?.headers.authorization).toBeUndefined()
  })

  test.each([{ 'X-Key': 'a\r\nX-Other: b' }, { 'X-Key: a\r\nX-Other': 'b' }])(
    'headers with line breaks are refused: %j',
    async (headers) => {
      const receiver = await openReceiver()
      const id = await post(receiver.url, {}, headers)
      start()
      await expect.poll(async () => (await responseTo(id))?.error_msg).toMatch(/of (a|the) header.* is invalid$/)
      expect(receiver.received).toEqual([])
    },
  )

  test('headers of the connection and of proxies stay those of the server', async () => {
    const receiver = await openReceiver()
    await post(
      receiver.url,
      {},
      { Host: 'other.example', 'X-Forwarded-For': '1.2.3.4', 'Transfer-Encoding': 'chunked' },
    )
    start()
    await expect.poll(() => receiver.received.length).toBe(1)
    const headers = receiver.received[0]?.headers ?? {}
    expect(headers.host).toBe(`127.0.0.1:${receiver.port}`)
    expect(headers['x-forwarded-for']).toBeUndefined()
    expect(headers['transfer-encoding']).toBeUndefined()
  })
})

describe('rights', () => {
  test("API roles may ask for requests, and see neither others' nor responses", async () => {
    const asAnon = <T extends object>(statement: ReturnType<typeof sql>): Promise<T[]> =>
      runAs(db.requestPool, { role: 'anon', claims: {} }, (tx) => tx.query<T>(statement))
    expect(await asAnon(sql`select net.http_get('https://public.example/') > 0 as queued`)).toEqual([{ queued: true }])
    await expect(asAnon(sql`select * from net.http_request_queue`)).rejects.toThrow('permission denied')
    await expect(asAnon(sql`select * from net._http_response`)).rejects.toThrow('permission denied')
    await expect(asAnon(sql`select net.holdfast_enqueue('GET', 'x', '{}', '{}', '{}', 1)`)).rejects.toThrow(
      'permission denied',
    )
  })

  test('the project may not put a trigger of its own where the superuser would run it', async () => {
    await project.execute(
      sql`create function public.mine() returns trigger language plpgsql as 'begin return new; end'`,
    )
    await expect(
      project.execute(
        sql`create trigger mine after insert on net._http_response for each row execute function public.mine()`,
      ),
    ).rejects.toThrow('permission denied')
  })

  test('bodies, addresses and headers are bounded', async () => {
    await expect(post('https://public.example/', 'a'.repeat(4_200_000))).rejects.toThrow('body_size')
    await expect(post(`https://public.example/${'a'.repeat(9_000)}`)).rejects.toThrow('url_size')
  })
})

describe('supabase_functions.http_request', () => {
  test('posts each row that a trigger is fired for', async () => {
    const receiver = await openReceiver()
    await project.execute(sql`create table public.things (id int primary key, name text)`)
    await project.execute(sql`
      create trigger hook after insert or update or delete on public.things for each row
        execute function supabase_functions.http_request(${sql.trusted(`'${receiver.url}/hook'`)}, 'POST', '{"Content-Type":"application/json","X-A":"b"}', '{}', '1000')`)
    await project.execute(sql`insert into public.things values (1, 'a')`)
    await project.execute(sql`update public.things set name = 'b'`)
    await project.execute(sql`delete from public.things`)
    start()
    await expect.poll(() => receiver.received.length).toBe(3)
    const bodies = receiver.received.map(({ body }) => JSON.parse(body) as { readonly type: string })
    const base = { table: 'things', schema: 'public' }
    expect(bodies.toSorted((a, b) => (a.type < b.type ? -1 : 1))).toEqual([
      { ...base, type: 'DELETE', record: null, old_record: { id: 1, name: 'b' } },
      { ...base, type: 'INSERT', record: { id: 1, name: 'a' }, old_record: null },
      { ...base, type: 'UPDATE', record: { id: 1, name: 'b' }, old_record: { id: 1, name: 'a' } },
    ])
    const hooks = sql`
      select count(*)::int4 as hooks from supabase_functions.hooks h join net._http_response r on r.id = h.request_id
       where h.hook_name = 'hook' and h.hook_table_id::oid = 'public.things'::regclass`
    await expect.poll(() => project.query(hooks)).toEqual([{ hooks: 3 }])
  })
})

describe('responses', () => {
  test('are deleted when they are older than they are kept', async () => {
    await db.pool.execute(sql`
      insert into net._http_response (id, status_code, created) select n, 200, now() - make_interval(hours => n) from generate_series(1, 10) n`)
    start()
    await expect
      .poll(() => project.query(sql`select max(id)::int4 as oldest from net._http_response`))
      .toEqual([{ oldest: 5 }])
  })
})
