import { runsOf } from '@holdfast/test-support'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderHeadersFit } from '../src/query/render-answer-settings.ts'
import { parseHeaders } from '../src/response/apply-settings.ts'
import { ALICE, BOB, openRestWorld, type RestWorld } from './rest-world.ts'

const FUNCTIONS = `
  create function setting(name text) returns text language sql stable as $$ select current_setting(name, true) $$;
  create function isolation() returns text language sql stable as $$ select current_setting('transaction_isolation') $$;
  create function serializable() returns text language sql stable set default_transaction_isolation to 'serializable'
    as $$ select current_setting('transaction_isolation') $$;
  create function patient() returns void language sql stable set statement_timeout to '4s' as $$ select pg_sleep(1.3) $$;
  create function hasty() returns void language sql stable set statement_timeout to '100ms' as $$ select pg_sleep(0.9) $$;
  create function work_mem() returns text language sql stable set work_mem to '7MB' as $$ select current_setting('work_mem') $$;
  create function stain_more() returns void language sql as $$
    select set_config('work_mem', '99MB', false), set_config('app.stain', 'yes', false), set_config('role', 'service_role', false) $$;
  create function stain_and_fail() returns void language plpgsql as $$
    begin perform set_config('app.stain', 'yes', false); raise exception 'no'; end $$;
  create function deferred(deferred bool default false) returns void language plpgsql as $$
    begin
      if not deferred then set constraints all immediate; end if;
      insert into late values (900, 777);
    end $$;
  create function seen() returns trigger language plpgsql security definer as $$
    begin insert into seen values (current_setting('request.jwt.claims', true)); return null; end $$;
  create table seen (claims text);
  create table watched (id int primary key);
  create constraint trigger watched after insert on watched deferrable initially deferred for each row execute function seen();
  create function check_request() returns void language plpgsql as $$
    declare headers json := current_setting('request.headers', true)::json;
    begin
      if headers ->> 'x-agent' = 'refused' then
        raise insufficient_privilege using message = 'not you';
      end if;
      perform set_config('response.headers', json_build_array(json_build_object('X-Custom', current_user))::text, false);
      if headers ->> 'x-agent' = 'type' then
        perform set_config('response.headers', '[{"Content-Type": "application/custom+json"}]', true);
      end if;
    end $$;
`

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
  await world.rows(FUNCTIONS)
  await world.refresh()
})

afterAll(() => world[Symbol.asyncDispose]())

async function call(name: string, args: Readonly<Record<string, unknown>> = {}, headers = {}): Promise<unknown> {
  const { status, body, text } = await world.ask(`/rpc/${name}`, { method: 'POST', body: args, headers })
  return status < 300 ? (body ?? text) : { status, body }
}

/** On each connection of the pool, so that none of them can hide. */
async function everywhere(ask: () => Promise<unknown>): Promise<unknown[]> {
  return [...new Set(await Promise.all(Array.from({ length: 30 }, ask)))]
}

describe('the transaction of a request', () => {
  test.each([
    ['POST', 'off'],
    ['GET', 'on'],
  ] as const)('of %s to a volatile function has transaction_read_only %s', async (method, expected) => {
    await world.rows(
      `create or replace function read_only() returns text language sql volatile as $$ select current_setting('transaction_read_only') $$`,
    )
    await world.refresh()
    expect((await world.ask('/rpc/read_only', { method })).body).toBe(expected)
  })

  test('cannot be made to write by GET', async () => {
    expect(await world.ask('/rpc/put_client?new_id=70')).toMatchObject({ status: 405, body: { code: '25006' } })
    expect(await world.rows('select from clients where id = 70')).toEqual([])
  })

  test('has read committed unless the role or the function says otherwise', async () => {
    expect(await call('isolation')).toBe('read committed')
    expect(await call('serializable')).toBe('serializable')
  })

  test('gives the time zone that is asked for, and the search path of the schema', async () => {
    expect(await call('setting', { name: 'timezone' }, { prefer: 'timezone=America/Lima' })).toBe('America/Lima')
    expect(await call('setting', { name: 'search_path' })).toBe('"public", "extensions"')
  })

  test('takes over the timeout of a function, longer or shorter than that of all', async () => {
    expect(await world.ask('/rpc/patient', { method: 'POST', body: {} })).toMatchObject({ status: 204 })
    expect(await world.ask('/rpc/hasty', { method: 'POST', body: {} })).toMatchObject({ body: { code: '57014' } })
  })

  test('does not take over other settings of a function, which holds them itself', async () => {
    expect(await call('work_mem')).toBe('7MB')
  })

  test('leaves nothing on the connection, whatever a function set', async () => {
    expect(await call('stain_more')).toBe('')
    await world.ask('/rpc/stain_and_fail', { method: 'POST', body: {} })
    for (const name of ['work_mem', 'app.stain', 'request.method']) {
      const before = await world.rows(`select current_setting('${name}', true) as value`)
      const seen = await everywhere(async () =>
        world.db.requestPool.withClient(
          async (client) =>
            (await client.query(`select current_setting('${name}', true) as value`)).rows[0]?.value ?? '',
        ),
      )
      expect(seen).toEqual([(before[0] as { value: string | null }).value ?? ''])
    }
    const users = await everywhere(async () =>
      world.db.requestPool.withClient(
        async (client) => (await client.query(`select current_user as value`)).rows[0]?.value,
      ),
    )
    expect(users).toEqual(['authenticator'])
  })

  test('leaves no temporary table, in which the next person would find rows of the one before', async () => {
    await world.rows(`
      create function own_rows() returns setof text language plpgsql as $$
        begin
          create temp table if not exists picked as select current_setting('request.jwt.claims')::json ->> 'sub' as sub;
          return query select sub from picked;
        end $$`)
    await world.refresh()
    const ask = async (as: 'alice' | 'bob') =>
      (await world.ask('/rpc/own_rows', { method: 'POST', body: {}, as })).body as unknown
    for (let round = 0; round < 5; round++) {
      expect(await everywhere(async () => JSON.stringify(await ask('alice')))).toEqual([JSON.stringify([ALICE])])
      expect(await everywhere(async () => JSON.stringify(await ask('bob')))).toEqual([JSON.stringify([BOB])])
    }
  })

  test.each(['GET', 'POST'] as const)('leaves no lock of the session, also where it failed (%s)', async (method) => {
    await world.rows(`
      create or replace function locked(fails text) returns void language plpgsql as $$
        begin
          perform pg_advisory_lock(20260101);
          if fails = 'yes' then raise exception 'no'; end if;
        end $$`)
    await world.refresh()
    const locks = `select count(*)::int as held from pg_locks where locktype = 'advisory' and objid = 20260101`
    for (const fails of ['no', 'yes']) {
      const answer = await (method === 'GET'
        ? world.ask(`/rpc/locked?fails=${fails}`)
        : world.ask('/rpc/locked', { method, body: { fails } }))
      expect(answer.status).toBe(fails === 'yes' ? 400 : 204)
      expect(await world.rows(locks)).toEqual([{ held: 0 }])
    }
  })

  test('leaves no timeout under which the connection cannot be reset', async () => {
    await world.rows(
      `create function haste() returns void language sql as $$ select set_config('statement_timeout', '1', false) $$`,
    )
    await world.refresh()
    for (let round = 0; round < 5; round++) {
      await everywhere(() => call('haste'))
      const seen = await everywhere(async () =>
        world.db.requestPool.withClient(
          async (client) => (await client.query(`select current_setting('statement_timeout') as value`)).rows[0]?.value,
        ),
      )
      expect(seen).not.toContain('1ms')
    }
  })

  test('writes only where sessions may write by default, however the request is answered', async () => {
    await using other = await openRestWorld()
    await other.rows(`alter role authenticator in database ${other.db.name} set default_transaction_read_only = on`)
    const refused = { status: 405, body: { code: '25006' } }
    for (const prefer of ['return=minimal', 'return=representation', 'tx=rollback']) {
      for (const accept of ['application/json', 'application/vnd.pgrst.object+json']) {
        const headers = { prefer, accept }
        expect(await other.ask('/people', { method: 'POST', body: { id: 80 }, headers })).toMatchObject(refused)
      }
    }
    expect(await other.ask('/people?select=id')).toMatchObject({ status: 200 })
  })

  test('runs deferred triggers with the claims of the request', async () => {
    await world.ask('/watched', { method: 'POST', body: { id: 1 }, as: 'alice' })
    expect(await world.rows(`select claims::json ->> 'sub' as sub from seen`)).toEqual([{ sub: ALICE }])
  })

  test.each([false, true])(
    'fails by a constraint that is checked late (deferred: %s), whatever its end',
    async (deferred) => {
      for (const prefer of ['tx=commit', 'tx=rollback']) {
        expect(await call('deferred', { deferred }, { prefer })).toMatchObject({ status: 409, body: { code: '23503' } })
      }
    },
  )

  test('is rolled back when the answer is no single object, and the connection goes on', async () => {
    const object = { accept: 'application/vnd.pgrst.object+json', prefer: 'return=representation' }
    const body = [
      { id: 71, name: 'a' },
      { id: 72, name: 'b' },
    ]
    expect(await world.ask('/clients', { method: 'POST', body, headers: object })).toMatchObject({ status: 406 })
    expect(await world.rows('select from clients where id in (71, 72)')).toEqual([])
    const [one] = body
    expect(await world.ask('/clients', { method: 'POST', body: one, headers: object })).toMatchObject({
      status: 201,
      body: one,
    })
    expect(await world.rows('delete from clients where id = 71 returning id')).toEqual([{ id: 71 }])
  })

  test('keeps statements apart that one connection runs for several roles', async () => {
    const counts = async (as: 'alice' | 'bob' | 'service') =>
      ((await world.ask('/projects?select=id', { as })).body as unknown[]).length
    for (let round = 0; round < 12; round++) {
      expect([await counts('alice'), await counts('bob'), await counts('service')]).toEqual([2, 1, 3])
    }
  })
})

describe('settings of roles', () => {
  test('hold for requests of the role', async () => {
    await world.rows(`alter role service_role set default_transaction_isolation = 'repeatable read';
      alter role service_role set timezone = 'Asia/Tokyo'; alter role service_role set app.team = 'blue';
      alter role service_role set log_min_messages = 'debug5'`)
    try {
      await world.refresh()
      expect(await call('isolation')).toBe('repeatable read')
      expect(await call('setting', { name: 'timezone' })).toBe('Asia/Tokyo')
      expect(await call('setting', { name: 'app.team' })).toBe('blue')
      // A setting of a superuser is left alone rather than failing every request.
      expect(await call('setting', { name: 'log_min_messages' })).not.toBe('debug5')
      // The function comes before the role.
      expect(await call('serializable')).toBe('serializable')
    } finally {
      await world.rows('alter role service_role reset all')
      await world.refresh()
    }
  })
})

describe('a pre-request function', () => {
  test('runs as the role of each request, may set headers and may refuse', async () => {
    await using other = await openRestWorld({ restPreRequest: 'public.check_request' })
    await other.rows(FUNCTIONS)
    await other.refresh()
    for (const method of ['GET', 'HEAD', 'PATCH', 'DELETE'] as const) {
      const answer = await other.ask('/clients?id=eq.3', {
        method,
        as: 'anon',
        ...(method === 'PATCH' ? { body: { name: 'x' } } : {}),
      })
      expect(answer.headers['x-custom'], method).toBe('anon')
    }
    expect(
      (await other.ask('/clients', { method: 'HEAD', headers: { 'x-agent': 'type' } })).headers['content-type'],
    ).toBe('application/custom+json')
    const refused = await other.ask('/people', { method: 'POST', body: { id: 90 }, headers: { 'x-agent': 'refused' } })
    expect(refused).toMatchObject({ status: 403, body: { code: '42501', message: 'not you' } })
    expect(await other.rows('select from people where id = 90')).toEqual([])
  })

  test('that there is not fails every request', async () => {
    await using other = await openRestWorld({ restPreRequest: 'public.nope' })
    expect(await other.ask('/clients')).toMatchObject({ status: 404, body: { code: '42883' } })
  })
})

describe('configuration in the database', () => {
  test('changes options, that of the database first, and wrong values change nothing', async () => {
    const name = world.db.name
    await world.rows(`
      alter role authenticator in database ${name} set pgrst.db_max_rows = '2';
      alter role authenticator in database ${name} set pgrst.server_timing_enabled = 'true';
      alter role authenticator in database ${name} set pgrst.db_tx_end = 'commit';
      alter role authenticator in database ${name} set pgrst.db_schemas = 'public, extra';
      alter role authenticator in database ${name} set pgrst.openapi_mode = 'sometimes';
      create schema extra; create table extra.things (id int); grant usage on schema extra to service_role;
      grant all on extra.things to service_role`)
    await world.refresh()
    const { body, headers } = await world.ask('/tasks?select=id')
    expect(body).toHaveLength(2)
    expect(headers['server-timing']).toMatch(
      /^jwt;dur=[\d.]+, parse;dur=[\d.]+, plan;dur=[\d.]+, transaction;dur=[\d.]+, response;dur=[\d.]+$/,
    )
    expect((await world.ask('/tasks', { method: 'OPTIONS' })).headers['server-timing']).toMatch(/^jwt.*parse.*response/)
    expect((await world.ask('/things', { headers: { 'accept-profile': 'extra' } })).body).toEqual([])
    expect((await world.ask('/')).status).toBe(200)
    const kept = await world.ask('/people', { method: 'POST', body: { id: 91 }, headers: { prefer: 'tx=rollback' } })
    expect(kept.headers['preference-applied'] ?? '').not.toContain('tx')
    expect(await world.rows('delete from people where id = 91 returning id')).toEqual([{ id: 91 }])
    await world.rows(`alter role authenticator in database ${name} reset all`)
    await world.refresh()
    expect((await world.ask('/tasks?select=id')).body).toHaveLength(4)
    expect((await world.ask('/tasks?select=id')).headers['server-timing']).toBeUndefined()
  })
})

describe('a change of the database that was not announced yet', () => {
  test('does not keep a request from being answered', async () => {
    await world.rows('create table fresh (id int primary key, name text)')
    expect(await world.ask('/fresh')).toMatchObject({ status: 200, body: [] })
  })

  test('does not fail statements that are prepared', async () => {
    await world.rows(`create table moving (id int primary key, what int); insert into moving values (1, 7)`)
    await world.refresh()
    const ask = () => world.ask('/moving?select=what&what=eq.7')
    for (let round = 0; round < 40; round++) await ask()
    await new Promise((resolve) => setTimeout(resolve, 1_000)) // readings for failures keep a distance
    await world.rows(`alter table moving alter what type text`)
    expect(await ask()).toMatchObject({ status: 200, body: [{ what: '7' }] })
  })
})

describe('limits of an answer', () => {
  test('end a request whose answer is too large, and the connection goes on', async () => {
    await using other = await openRestWorld({ restResponseBytesMax: 2000 })
    await other.rows(`create function large(n int) returns text language sql stable as $$ select repeat('x', n) $$`)
    await other.refresh()
    for (const n of [3_000, 3_000_000]) {
      expect(await other.ask(`/rpc/large?n=${n}`)).toMatchObject({ status: 500, body: { code: '54000' } })
    }
    expect(await other.ask('/rpc/large?n=3')).toMatchObject({ status: 200, body: 'xxx' })
  })

  test('do not touch large ones, in any alphabet', async () => {
    await world.rows(
      `create or replace function wide(n int) returns text language sql stable as $$ select repeat('äñ🐘', n) $$`,
    )
    await world.refresh()
    const { body } = await world.ask('/rpc/wide?n=70000')
    expect(body === 'äñ🐘'.repeat(70_000)).toBe(true)
  })
})

describe('headers that a function sets', () => {
  const space = fc.constantFrom('', '', ' ', '\n', '\t')
  const name = fc.constantFrom('"X-A"', '"te"', '"Te"', '"text"', '"X A"', '"connectioN"', '"~"', '""', 'null')
  const character = fc.oneof(
    fc.constantFrom('a', ' ', ':', '{', ']', '日', 'ä', '\u007f', '\u0080', '\u0007', '\t', '\n'),
    fc.constantFrom('\\"', '\\\\', '\\/', '\\t', '\\n', '\\b', '\\x', '\\'),
    fc.constantFrom(
      '\\u0009',
      '\\u000a',
      '\\u001F',
      '\\u0020',
      '\\u007e',
      '\\u007F',
      '\\u0080',
      '\\u0100',
      '\\uD800',
      '\\u0000',
    ),
  )
  const value = fc.oneof(
    fc.array(character, { maxLength: 4 }).map((parts) => `"${parts.join('')}"`),
    fc.constantFrom('1', 'null', '"'),
  )
  const item = fc.tuple(space, name, space, value, space).map(([a, key, b, text, c]) => `{${a}${key}${b}:${text}${c}}`)
  const list = fc.oneof(
    fc
      .array(item, { maxLength: 3 })
      .chain((items) => space.map((between) => `${between}[${items.join(`,${between}`)}]`)),
    fc.constantFrom('{"X-A":"1"}', '[', '[{}]', '[{"X-A":"1"},]', '[{"X-A":"1"}]x', '[{"X-A":"1","X-B":"2"}]', ''),
  )

  test('are refused by Postgres exactly where they cannot be sent', async () => {
    const texts = fc.sample(list, { numRuns: runsOf(3_000), seed: 20 })
    const { rows } = await world.db.requestPool.withClient((client) =>
      client.query<{ fits: boolean }>(
        `select ${renderHeadersFit('text')} as fits from unnest($1::text[]) with ordinality as _(text, at) order by at`,
        [texts],
      ),
    )
    const verdicts = texts.map((text) => [text, canBeSent(text)])
    expect(rows.map(({ fits }, at) => [texts[at], fits])).toEqual(verdicts)
    expect(new Set(verdicts.map(([, fits]) => fits)).size).toBe(2)
  })

  function canBeSent(text: string): boolean {
    try {
      parseHeaders(text)
      return true
    } catch {
      return false
    }
  }
})
