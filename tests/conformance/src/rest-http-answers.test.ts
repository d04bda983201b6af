import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// Responses: media types, headers, schemas and allowed methods. Refusals first.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld(['--rest-plan-enabled=true'])
  await world.run(`
    create domain "text/markdown" as text;
    create domain "application/vnd.name" as bytea;
    create function as_markdown(country_id int) returns "text/markdown" language sql stable
      as $$ select '# ' || name from countries where id = country_id $$;
    create function name_bytes() returns "application/vnd.name" language sql stable as $$ select 'Oslo'::bytea $$;
    create function one_line(state "text/markdown", item countries) returns "text/markdown" language sql immutable
      as $$ select state || item.name || ';' $$;
    create aggregate lines(countries) (sfunc = one_line, stype = "text/markdown", initcond = '');
    create domain euros as numeric;
    create function "json"(euros) returns json language sql immutable as $$ select to_json(($1::numeric)::text || ' EUR') $$;
    create function euros(json) returns euros language sql immutable
      as $$ select replace($1 #>> '{}', ' EUR', '')::numeric $$;
    create function euros(text) returns euros language sql immutable as $$ select replace($1, ' EUR', '')::numeric $$;
    create cast (euros as json) with function "json"(euros) as implicit;
    create cast (json as euros) with function euros(json) as implicit;
    create cast (text as euros) with function euros(text) as implicit;
    create table prices (id int primary key, amount euros);
    insert into prices values (1, 5);
  `)
  await vi.waitFor(async () => expect((await world.http('/prices')).status).toBe(200), { timeout: 60_000 })
})

afterAll(() => world?.[Symbol.asyncDispose]())

const as = (accept: string) => ({ headers: { accept } })

describe('media types', () => {
  test.each([
    ['text/html', 'None of these media types are available: text/html'],
    ['text/html, image/png', 'None of these media types are available: text/html, image/png'],
    ['application/openapi+json', 'None of these media types are available: application/openapi+json'],
    ['application/geo+json', 'None of these media types are available: application/geo+json'],
    ['text/markdown', 'None of these media types are available: text/markdown'],
  ])('%s is refused if nothing produces it', async (accept, message) => {
    expect(await world.http('/cities', as(accept))).toMatchObject({ status: 406, body: { code: 'PGRST107', message } })
  })

  test.each([
    ['any type', '*/*', 'application/json; charset=utf-8', '[{"id":1,"name":"Norway"}]'],
    ['JSON', 'application/json', 'application/json; charset=utf-8', '[{"id":1,"name":"Norway"}]'],
    [
      'the preferred of two types',
      'text/html, application/json;q=0.5',
      'application/json; charset=utf-8',
      '[{"id":1,"name":"Norway"}]',
    ],
    [
      'one object',
      'application/vnd.pgrst.object+json',
      'application/vnd.pgrst.object+json; charset=utf-8',
      '{"id":1,"name":"Norway"}',
    ],
    ['CSV', 'text/csv', 'text/csv; charset=utf-8', 'id,name\n1,Norway'],
  ])('%s', async (_title, accept, type, text) => {
    const answer = await world.http('/countries?id=eq.1', as(accept))
    expect([answer.status, answer.headers.get('content-type'), answer.text]).toEqual([200, type, text])
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
  })

  test('nulls are stripped from rows and from a single object', async () => {
    const path = '/cities?select=name,population&id=eq.4'
    const rows = await world.http(path, as('application/vnd.pgrst.array+json;nulls=stripped'))
    expect([rows.headers.get('content-type'), rows.text]).toEqual([
      'application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8',
      '[{"name":"Cusco"}]',
    ])
    expect((await world.http(path, as('application/vnd.pgrst.object+json;nulls=stripped'))).text).toBe(
      '{"name":"Cusco"}',
    )
  })

  test('text or bytes from a function are passed through', async () => {
    const markdown = await world.http('/rpc/as_markdown?country_id=1', as('text/markdown'))
    expect([markdown.headers.get('content-type'), markdown.text]).toEqual(['text/markdown', '# Norway'])
    const bytes = await world.http('/rpc/name_bytes', as('application/vnd.name'))
    expect([bytes.headers.get('content-type'), bytes.text]).toEqual(['application/vnd.name', 'Oslo'])
  })

  test("an aggregate renders a table's rows as a media type", async () => {
    const { text, headers } = await world.http('/countries?order=id', as('text/markdown'))
    expect([headers.get('content-type'), text]).toEqual(['text/markdown', 'Norway;Peru;Chad;'])
  })

  test('a domain is read and written by its casts', async () => {
    expect((await world.http('/prices?select=amount')).body).toEqual([{ amount: '5 EUR' }])
    expect((await world.http('/prices?select=id&amount=eq.5 EUR')).body).toEqual([{ id: 1 }])
    const { body } = await world.http('/prices', {
      method: 'POST',
      headers: { prefer: 'return=representation' },
      body: { id: 2, amount: '7 EUR' },
    })
    expect(body).toEqual([{ id: 2, amount: '7 EUR' }])
  })

  test('the plan of a request is text or JSON, if enabled', async () => {
    const text = await world.http('/cities', as('application/vnd.pgrst.plan+text; for="application/json"; options=;'))
    expect(text.text).toContain('cost=')
    expect(text.headers.get('content-type')).toContain('application/vnd.pgrst.plan+text; for="application/json"')
    const json = await world.http('/cities', as('application/vnd.pgrst.plan+json; options=analyze|verbose|buffers;'))
    expect(json.body).toMatchObject([{ Plan: { 'Actual Rows': 1 } }])
  })
})

describe('schemas', () => {
  test.each(['GET', 'POST', 'PATCH', 'DELETE'])('an unexposed schema is refused for %s', async (method) => {
    const header = method === 'GET' ? 'accept-profile' : 'content-profile'
    const answer = await world.http('/things?id=eq.1', {
      method,
      headers: { [header]: 'auth' },
      ...(method === 'GET' ? {} : { body: {} }),
    })
    expect(answer).toMatchObject({
      status: 406,
      body: {
        code: 'PGRST106',
        message: 'Invalid schema: auth',
        details: null,
        hint: 'Only the following schemas are exposed: public, api',
      },
    })
  })

  test('the schema of the header is used and returned, by default the first', async () => {
    const api = await world.http('/things', { headers: { 'accept-profile': 'api' } })
    expect([api.body, api.headers.get('content-profile')]).toEqual([[{ id: 7 }], 'api'])
    expect((await world.http('/countries?limit=1')).headers.get('content-profile')).toBe('public')
    const made = await world.http('/things', {
      method: 'POST',
      headers: { 'content-profile': 'api', prefer: 'return=representation' },
      body: { id: 70 },
    })
    expect([made.status, made.headers.get('content-profile')]).toEqual([201, 'api'])
  })
})

describe('OPTIONS and HEAD', () => {
  test('OPTIONS is refused for unknown tables and functions', async () => {
    expect(await world.http('/nothing', { method: 'OPTIONS' })).toMatchObject({
      status: 404,
      body: { code: 'PGRST205' },
    })
    expect(await world.http('/rpc/nothing', { method: 'OPTIONS' })).toMatchObject({
      status: 404,
      body: { code: 'PGRST202' },
    })
  })

  test.each([
    ['a table', '/countries', 'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE'],
    ['a view', '/city_counts', 'OPTIONS,GET,HEAD'],
    ['a partitioned table without a key', '/events', 'OPTIONS,GET,HEAD,POST,PATCH,DELETE'],
    ['the root', '/', 'OPTIONS,GET,HEAD'],
  ])('OPTIONS of %s lists the allowed methods', async (_title, path, allow) => {
    const { status, headers, text } = await world.http(path, { method: 'OPTIONS' })
    expect([status, headers.get('allow'), headers.get('access-control-allow-origin'), text]).toEqual([
      200,
      allow,
      '*',
      '',
    ])
  })

  test("HEAD has GET's headers, but no body and no length", async () => {
    const { status, headers, text } = await world.http('/cities?limit=2', {
      method: 'HEAD',
      headers: { prefer: 'count=exact' },
    })
    expect([status, headers.get('content-range'), headers.get('content-length'), text]).toEqual([
      206,
      '0-1/4',
      null,
      '',
    ])
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test('CORS allows every origin and exposes the relevant headers', async () => {
    const preflight = await world.http('/cities', {
      method: 'OPTIONS',
      as: 'nobody',
      headers: {
        origin: 'https://example.org',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'apikey,prefer',
      },
    })
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('prefer')
    const { headers } = await world.http('/cities?limit=1', { headers: { origin: 'https://example.org' } })
    expect(headers.get('access-control-expose-headers')).toMatch(/content-range.*location.*preference-applied/)
  })
})

describe('headers of answers', () => {
  test('Content-Location is the request with sorted parameters', async () => {
    const { headers } = await world.http('/cities?select=id&id=eq.1&limit=1')
    expect(headers.get('content-location')).toBe('/cities?id=eq.1&limit=1&select=id')
    expect((await world.http('/countries')).headers.get('content-location')).toBe('/countries')
  })

  test('Preference-Applied lists only the preferences that had an effect', async () => {
    const applied = async (prefer: string, path = '/cities?limit=1') =>
      (await world.http(path, { headers: { prefer } })).headers.get('preference-applied')
    expect(await applied('count=exact, return=representation, soup=hot')).toBe('count=exact')
    expect(await applied('handling=lenient, timezone=Europe/Oslo')).toBe('handling=lenient, timezone=Europe/Oslo')
  })

  test('Vary lists the headers that a response depends on', async () => {
    expect((await world.http('/countries')).headers.get('vary')).toBe('Accept, Prefer, Range')
    expect((await world.http('/countries', { method: 'HEAD' })).headers.get('vary')).toBe('Accept, Prefer, Range')
  })

  test('no header reveals the server software', async () => {
    const { headers } = await world.http('/cities')
    expect(headers.get('x-powered-by')).toBeNull()
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})

describe('the description of the API', () => {
  test('is refused in other formats', async () => {
    expect(await world.http('/', as('text/csv'))).toMatchObject({ status: 406, body: { code: 'PGRST107' } })
    expect(await world.http('/', { method: 'POST', body: {} })).toMatchObject({
      status: 405,
      body: { code: 'PGRST117' },
    })
  })

  test('is OpenAPI 2 with the tables, keys, types and functions that the role may use', async () => {
    const { headers, body } = await world.http('/', as('application/openapi+json'))
    expect(headers.get('content-type')).toBe('application/openapi+json; charset=utf-8')
    expect(body).toMatchObject({
      swagger: '2.0',
      host: new URL(world.url).host,
      basePath: '/rest/v1/',
      info: { title: 'Atlas', description: 'Countries and cities.' },
      definitions: {
        countries: {
          description: 'What cities are in.',
          required: ['id', 'name'],
          properties: { id: { type: 'integer', format: 'int32', description: 'Note:\nThis is a Primary Key.<pk/>' } },
        },
        cities: {
          properties: {
            size: { enum: ['small', 'large'] },
            country_id: {
              description: "Note:\nThis is a Foreign Key to `countries.id`.<fk table='countries' column='id'/>",
            },
          },
        },
      },
    })
    const { paths } = body as { paths: Record<string, object> }
    expect(Object.keys(paths['/rpc/echo'] ?? {})).toEqual(['get', 'post'])
    expect(Object.keys(paths['/rpc/clear_notes'] ?? {})).toEqual(['post'])
    const open = (await world.http('/', { as: 'anon' })).body as { paths: object }
    expect(paths).toHaveProperty(['/secrets'])
    expect(open.paths).not.toHaveProperty(['/secrets'])
  })

  test('describes the requested schema and follows schema changes', async () => {
    const { body } = await world.http('/', { headers: { 'accept-profile': 'api' } })
    expect((body as { paths: object }).paths).toHaveProperty(['/things'])
    await world.run('create table api.newer (id int primary key)')
    await expect
      .poll(
        async () => ((await world.http('/', { headers: { 'accept-profile': 'api' } })).body as { paths: object }).paths,
      )
      .toHaveProperty(['/newer'])
  })
})
