import SwaggerParser from '@apidevtools/swagger-parser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type Ask, type RestWorld } from '../rest-world.ts'

// The description is read as tools read it: parsed, with its references followed and judged by a validator of OpenAPI 2.

const SCHEMA = `
  comment on schema public is E'Works\\n\\nProjects and\\ntheir tasks.';
  comment on table clients is E'Who pays\\n\\nOne row per\\ncustomer.';
  comment on column clients.name is 'As on the invoice.';
  comment on column clients.id is 'Number.';
  create type mood as enum ('good', 'bad');
  create domain code as text check (value <> '');
  create table kinds (
    id bigint generated always as identity primary key,
    label varchar(40) not null default 'none', letter character(1), state mood default 'good', code code,
    amount numeric(10,2) default 42.5, ratio real, precise double precision, small smallint, yes boolean default false,
    born date default '1900-01-01', made timestamptz not null default now(), data jsonb, raw json,
    words text[], numbers bigint[], datas jsonb[], "order" int, "odd name/~{" text,
    client int references clients, self bigint references kinds
  );
  create table "odd {table}" (id int primary key);
  create table logs (at date, id int) partition by range (at);
  create table logs_2030 partition of logs for values from ('2030-01-01') to ('2031-01-01');
  create materialized view client_names as select name from clients;
  comment on function add(int, int) is E'Adds\\n\\nTwo numbers.';
  create function describe_me(words text[], at date, data json default '{}') returns void language sql stable as '';
  create function forbidden() returns int language sql as 'select 1';
  revoke execute on function forbidden from public, anon, authenticated;
  create function two_unnamed(int, int) returns int language sql as 'select 1';
  create schema if not exists holdfast;
  create table holdfast.other (id int primary key);
  grant usage on schema holdfast to anon, service_role;
  grant select on holdfast.other to anon, service_role;
`

interface Document {
  readonly info: unknown
  readonly paths: Record<string, Record<string, { parameters?: unknown[]; summary?: string; description?: string }>>
  readonly definitions: Record<string, { properties: Record<string, unknown>; required?: string[] }>
  readonly parameters: Record<string, unknown>
  readonly [key: string]: unknown
}

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
  await world.rows(SCHEMA)
  await world.refresh()
})

afterAll(() => world?.[Symbol.asyncDispose]())

async function describeAs(as: Ask['as'], headers: Record<string, string> = {}): Promise<Document> {
  const answer = await world.ask('/', { ...(as && { as }), headers })
  expect(answer).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/openapi+json; charset=utf-8' },
  })
  return answer.body as Document
}

describe('the root', () => {
  test.each([
    ['text/csv', '/', 406],
    ['application/vnd.pgrst.object+json', '/', 406],
    ['application/openapi+json', '/clients', 406],
  ])('does not answer with %s at %s', async (accept, path, status) => {
    expect(await world.ask(path, { headers: { accept } })).toMatchObject({
      status,
      body: { code: 'PGRST107', message: `None of these media types are available: ${accept}` },
    })
  })

  test.each(['POST', 'PATCH', 'PUT', 'DELETE'] as const)('refuses %s', async (method) => {
    expect(await world.ask('/', { method, body: {} })).toMatchObject({
      status: 405,
      body: { code: 'PGRST117', message: `Unsupported HTTP method: ${method}` },
    })
  })

  test('says what it allows', async () => {
    expect(await world.ask('/', { method: 'OPTIONS' })).toMatchObject({
      status: 200,
      headers: { allow: 'OPTIONS,GET,HEAD' },
      text: '',
    })
  })

  test('answers HEAD with the headers and no length', async () => {
    const answer = await world.ask('/', { method: 'HEAD' })
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/openapi+json; charset=utf-8', 'content-profile': 'public' },
      text: '',
    })
    expect(answer.headers).not.toHaveProperty('content-length')
  })

  test.each(['service', 'alice', 'anon'] as const)('is valid OpenAPI 2 for %s', async (as) => {
    const document = await describeAs(as)
    await expect(SwaggerParser.validate(structuredClone(document) as never)).resolves.toBeTypeOf('object')
  })

  test('describes what the role may use, and no partitions', async () => {
    const [service, anon] = [await describeAs('service'), await describeAs('anon')]
    expect(Object.keys(service.paths)).toEqual(
      expect.arrayContaining(['/', '/secrets', '/logs', '/client_names', '/rpc/add', '/rpc/whole', '/rpc/forbidden']),
    )
    expect(Object.keys(anon.paths)).toEqual(expect.arrayContaining(['/', '/clients', '/rpc/add']))
    for (const path of ['/secrets', '/logs_2030', '/rpc/forbidden', '/rpc/two_unnamed', '/other']) {
      expect(Object.keys(anon.paths)).not.toContain(path)
    }
    expect(Object.keys(anon.definitions)).not.toContain('secrets')
  })

  test('describes the schema that is asked for', async () => {
    const { paths } = await describeAs('anon', { 'accept-profile': 'holdfast' })
    expect(Object.keys(paths)).toContain('/other')
    expect(Object.keys(paths)).not.toContain('/clients')
    expect(await world.ask('/', { headers: { 'accept-profile': 'auth' } })).toMatchObject({
      status: 406,
      body: { code: 'PGRST106' },
    })
  })

  test('takes title and descriptions from comments', async () => {
    const { info, paths, definitions } = await describeAs('service')
    expect(info).toEqual({ title: 'Works', description: 'Projects and\ntheir tasks.', version: '16.2' })
    expect(paths['/clients']?.['get']).toMatchObject({ summary: 'Who pays', description: 'One row per\ncustomer.' })
    expect(paths['/rpc/add']?.['get']).toMatchObject({ summary: 'Adds', description: 'Two numbers.' })
    expect(definitions['clients']?.properties).toEqual({
      id: { format: 'int32', type: 'integer', description: 'Number.\n\nNote:\nThis is a Primary Key.<pk/>' },
      name: { format: 'text', type: 'string', description: 'As on the invoice.' },
    })
  })

  test('gives types, formats, defaults and keys of columns', async () => {
    const { definitions } = await describeAs('service')
    const { properties, required } = definitions['kinds'] ?? { properties: {} }
    expect(required).toEqual(['id', 'label', 'made'])
    expect(properties).toMatchObject({
      id: { format: 'int64', type: 'integer', description: 'Note:\nThis is a Primary Key.<pk/>' },
      label: { format: 'character varying', type: 'string', maxLength: 40, default: 'none' },
      letter: { format: 'character', type: 'string', maxLength: 1 },
      state: { type: 'string', enum: ['good', 'bad'], default: 'good' },
      code: { format: 'text', type: 'string' },
      amount: { format: 'numeric', type: 'number', default: 42.5 },
      ratio: { format: 'real', type: 'number' },
      precise: { format: 'double precision', type: 'number' },
      small: { format: 'int32', type: 'integer' },
      yes: { format: 'boolean', type: 'boolean', default: false },
      born: { format: 'date', type: 'string', default: '1900-01-01' },
      made: { format: 'timestamp with time zone', type: 'string', default: 'now()' },
      words: { format: 'text[]', type: 'array', items: { type: 'string' } },
      numbers: { format: 'bigint[]', type: 'array', items: { type: 'integer' } },
      client: { description: "Note:\nThis is a Foreign Key to `clients.id`.<fk table='clients' column='id'/>" },
      self: { description: "Note:\nThis is a Foreign Key to `kinds.id`.<fk table='kinds' column='id'/>" },
    })
    expect(properties['data']).toEqual({ format: 'jsonb' })
    expect(properties['datas']).toEqual({ format: 'jsonb[]', type: 'array', items: {} })
    expect(properties['id']).not.toHaveProperty('default')
  })

  test('refers to filters, bodies and preferences, and offers writing only where something can be written', async () => {
    const { paths, parameters } = await describeAs('service')
    expect(paths['/clients']?.['get']?.parameters).toEqual(
      [
        'rowFilter.clients.id',
        'rowFilter.clients.name',
        'select',
        'order',
        'range',
        'rangeUnit',
        'offset',
        'limit',
        'preferCount',
      ].map((name) => ({ $ref: `#/parameters/${name}` })),
    )
    expect(Object.keys(paths['/clients'] ?? {})).toEqual(['get', 'post', 'delete', 'patch'])
    expect(Object.keys(paths['/client_names'] ?? {})).toEqual(['get'])
    expect(parameters).toHaveProperty(['rowFilter.kinds.odd name/~{'])
    expect(parameters).not.toHaveProperty(['rowFilter.kinds.order'])
    expect(Object.keys(paths)).toContain('/odd%20%7Btable%7D')
  })

  test('describes how functions are called', async () => {
    const { paths } = await describeAs('service')
    expect(Object.keys(paths['/rpc/put_client'] ?? {})).toEqual(['post'])
    expect(paths['/rpc/describe_me']?.['get']?.parameters).toEqual([
      { name: 'words', in: 'query', required: true, type: 'string', format: 'text[]' },
      { name: 'at', in: 'query', required: true, type: 'string', format: 'date' },
      { name: 'data', in: 'query', required: false, type: 'string', format: 'json' },
    ])
    expect(paths['/rpc/describe_me']?.['post']?.parameters?.[0]).toMatchObject({
      name: 'args',
      in: 'body',
      schema: {
        type: 'object',
        required: ['words', 'at'],
        properties: { words: { type: 'array', format: 'text[]', items: { type: 'string' } }, data: { format: 'json' } },
      },
    })
    expect(paths['/rpc/numbers']?.['post']).toBeDefined()
  })

  test('says where it is, and nothing about tokens unless it is told to', async () => {
    const document = await describeAs('service')
    expect(document).toMatchObject({ host: '127.0.0.1:54321', basePath: '/rest/v1/', schemes: ['http'] })
    expect(document).not.toHaveProperty('security')
  })

  test('follows a change of the schema and of privileges', async () => {
    await world.rows('create table fresh (id int primary key)')
    await world.refresh()
    expect((await describeAs('anon')).paths).toHaveProperty(['/fresh'])
    await world.rows('revoke all on fresh from anon')
    await world.refresh()
    expect((await describeAs('anon')).paths).not.toHaveProperty(['/fresh'])
  })
})

describe('the mode', () => {
  test('ignore-privileges describes everything; security says that a token is needed', async () => {
    await using all = await openRestWorld({
      restOpenapiMode: 'ignore-privileges',
      restOpenapiSecurityActive: true,
    })
    const { body } = await all.ask('/', { as: 'anon' })
    expect(body).toMatchObject({
      security: [{ JWT: [] }],
      securityDefinitions: { JWT: { type: 'apiKey', in: 'header', name: 'Authorization' } },
    })
    expect(Object.keys((body as Document).paths)).toContain('/secrets')
    await expect(SwaggerParser.validate(body as never)).resolves.toBeTypeOf('object')
  })

  test('disabled answers no request', async () => {
    await using none = await openRestWorld({ restOpenapiMode: 'disabled' })
    for (const method of ['GET', 'HEAD', 'OPTIONS'] as const) {
      expect((await none.ask('/', { method })).status).toBe(404)
    }
    expect((await none.ask('/')).body).toEqual({
      code: 'PGRST126',
      details: null,
      hint: null,
      message: 'Root endpoint metadata is disabled',
    })
  })

  test('another word refuses the start', async () => {
    await expect(openRestWorld({ restOpenapiMode: 'perhaps' })).rejects.toMatchObject({ code: 'option_invalid' })
  })
})
